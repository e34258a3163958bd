package io.github.ratelimit.actuate;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.web.servlet.client.RestTestClient;

/**
 * A rule can have a key of its own in place of its policy's.
 */
@ActuatorTest
@TestPropertySource(properties = { "ratelimit.rules[0].key=parameter('user')", "ratelimit.rules[0].cost=1" })
class RateLimitsEndpointOwnKeyTests {

	@Autowired
	private RestTestClient client;

	@Test
	void keyOfTheRuleIsShownBesideThePolicys() {
		Answers.check(this.client.get().uri("/actuator/ratelimits").exchange(), 200, "$.policies.login.key",
				"clientAddress", "$.policies.login.appliedTo",
				List.of(Map.of("place", "rule GET /login", "key", "parameter('user')", "cost", "1")));
	}

	@Test
	void keyOfTheRuleIsFoundAsItIs() {
		Answers.check(this.client.get().uri("/login?user=ann").exchange(), 200);
		checkTaken("ann");
	}

	@Test
	void clientWhoseOwnKeyIsEmptyIsFoundByItsAddress() {
		Answers.check(this.client.get().uri("/login").exchange(), 200);
		checkTaken("address:127.0.0.1");
	}

	private void checkTaken(String key) {
		Answers.check(this.client.get()
			.uri((uri) -> uri.path("/actuator/ratelimits/login").queryParam("key", "{key}").build(key))
			.exchange(), 200, "$.key", key, "$.standing.remaining", 1);
	}

}
