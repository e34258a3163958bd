package io.github.ratelimit.actuate;

import java.time.Duration;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOverride;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.test.context.TestPropertySource;

import static io.github.ratelimit.actuate.Answers.check;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * An override must not make requests wait for longer than the application could start
 * with.
 */
@TestPropertySource(properties = "spring.mvc.async.request-timeout=10s")
class OverrideWaitTests extends ActuatorTest {

	private static final String OF_RULE = "The property 'ratelimit.rules[0].policy' with the value 'login' could make a "
			+ "request wait for 10.5 s, but spring.mvc.async.request-timeout is 10 s";

	private static final String OF_METHOD = "@RateLimited on SearchController.queue() could make a request wait for "
			+ "10.5 s in the leaky bucket, which is longer than the 10 s of spring.mvc.async.request-timeout";

	@ParameterizedTest
	@ValueSource(strings = { "", "?key=127.0.0.1" })
	void overrideThatARuleCouldNotStartWithIsRejected(String target) {
		check(post("/login" + target, leaky(21)), 400, "$.detail", OF_RULE + ".", "$.action",
				"Give the policy a smaller burst or nodelay, or raise spring.mvc.async.request-timeout.", "$.path",
				"$");
		check(post("/login" + target, leaky(20)), 201);
	}

	@Test
	void overrideThatAnAnnotatedMethodCouldNotStartWithIsRejected() {
		check(post("/queue", leaky(21)), 400, "$.detail", OF_METHOD + ".", "$.action",
				"Use a smaller burst or nodelay, or set spring.mvc.async.request-timeout to more.");
		check(post("/queue", leaky(20)), 201);
	}

	@Test
	void codeIsToldTheSame() {
		RateLimit limit = RateLimit.builder(RateLimitAlgorithm.LEAKY_BUCKET)
			.limit(2)
			.window(Duration.ofSeconds(1))
			.burst(21L)
			.build();
		assertInvalid(OF_RULE, RateLimitOverride.of("login").limit(limit));
		assertInvalid(OF_METHOD, RateLimitOverride.of("queue").limit(limit));
		assertThat(this.registry.overrides().inForce()).isEmpty();
		this.registry.overrides().put(RateLimitOverride.of("login").limit(limit).mode(RateLimitMode.SHADOW).build());
		assertInvalid(OF_RULE, RateLimitOverride.of("login").limit(limit).mode(RateLimitMode.ENFORCE));
	}

	private void assertInvalid(String message, RateLimitOverride.Builder override) {
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> this.registry.overrides().put(override.build()))
			.withMessage(message);
	}

	private static String leaky(int burst) {
		return "{\"limits\": [{\"algorithm\": \"leaky-bucket\", \"limit\": 2, \"window\": \"1s\", \"burst\": " + burst
				+ "}]}";
	}

}
