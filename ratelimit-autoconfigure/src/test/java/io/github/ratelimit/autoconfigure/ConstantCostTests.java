package io.github.ratelimit.autoconfigure;

import java.time.Duration;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitOverrides;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.testserver.TestServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * No number is accepted later that the application could not start with, because what a
 * call always costs would never pass.
 */
class ConstantCostTests {

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.start(Uploads.class, "ruled: 100 per 1m", "annotated: 100 per 1m",
				"ratelimit.rules[0].path=/upload", "ratelimit.rules[0].policy=ruled", "ratelimit.rules[0].cost=10");
	}

	@ParameterizedTest
	@ValueSource(strings = { "ruled", "annotated" })
	void overrideThatNoCallCouldPassIsRejected(String policy) {
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> override(policy, 5))
			.withMessageContaining("takes 10 permits, but the limit 'token-bucket 5 per 1 min, burst 5' of the policy '"
					+ policy + "' has only 5 at once");
		assertThat(override(policy, 10).override().limits()).containsExactly(limit(10));
	}

	@Test
	void changeThatNoCallCouldPassIsRejected() {
		StoreRateLimiterRegistry registry = server.bean(StoreRateLimiterRegistry.class);
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> registry.change(RateLimitPolicy.of("annotated", limit(5))))
			.withMessageContaining("takes 10 permits");
		assertThat(registry.change(RateLimitPolicy.of("annotated", limit(10)))).isNotNull();
	}

	private static RateLimitOverrides.InForce override(String policy, long limit) {
		return server.bean(StoreRateLimiterRegistry.class)
			.overrides()
			.put(RateLimitOverride.of(policy).limit(limit(limit)).build());
	}

	private static RateLimit limit(long limit) {
		return RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, limit, Duration.ofMinutes(1));
	}

	@RestController
	static class Uploads {

		@RateLimited(policy = "annotated", cost = "10")
		@GetMapping("/upload")
		void upload() {
		}

	}

}
