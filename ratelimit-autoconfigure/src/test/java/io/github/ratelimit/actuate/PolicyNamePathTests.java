package io.github.ratelimit.actuate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitPolicy;
import org.junit.jupiter.api.Test;

import org.springframework.test.context.TestPropertySource;

import static io.github.ratelimit.actuate.Answers.check;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every name that a policy can have can be asked for in the endpoint's path, through a
 * real Tomcat and Spring Security.
 */
@TestPropertySource(properties = "spring.application.name=of-many-policies")
class PolicyNamePathTests extends ActuatorTest {

	@Test
	void everyNameThatAPolicyCanHaveIsReachable() {
		List<String> reachable = new ArrayList<>();
		for (String name : names()) {
			if (register(name)) {
				check(get("/{policy}?key=me", name), 200, "$.policy", name);
				reachable.add(name);
			}
		}
		assertThat(reachable).hasSizeGreaterThan(350).contains("save(String[], Map)", "it's limited?", "a..b", "a#b");
	}

	private static List<String> names() {
		List<String> names = new ArrayList<>(List.of(".", "..", "...", "a..b", "..a", "a..", "x".repeat(128), "a.json",
				"save(String[], Map)", "it's limited?", "{a}", "**", "a%2fb", "a%00b"));
		for (char c = 0; c < 256; c++) {
			names.addAll(List.of("a" + c + "b", c + "b", "a" + c, "" + c));
		}
		return names;
	}

	private boolean register(String name) {
		try {
			if (this.registry.find(name) == null) {
				this.registry.register(
						RateLimitPolicy.of(name, RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 1, Duration.ofDays(1))));
			}
			return true;
		}
		catch (InvalidRateLimitException ex) {
			return false;
		}
	}

}
