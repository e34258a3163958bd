package io.github.ratelimit.remote;

import java.time.Duration;

import io.github.ratelimit.CalendarModel;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The shares of all instances are together no more than the limit, unless it is less than
 * one permit for each.
 */
class LimitShareTests {

	@ParameterizedTest
	@EnumSource
	void theSharesAreTogetherNoMoreThanTheLimit(RateLimitAlgorithm algorithm) {
		RandomCases.check(5000, (random) -> {
			RateLimit limit = RandomLimits.any(random, algorithm);
			int instances = 1 + (int) RandomLimits.upTo(random, 1000);
			RateLimit share = LocalShare.LimitShare.of(limit, instances);
			assertThat(share.algorithm()).isEqualTo(algorithm);
			assertThat(share.window()).isEqualTo(limit.window());
			assertThat(share.nodelay()).isEqualTo(limit.nodelay());
			assertThat(share.countRejected()).isEqualTo(limit.countRejected());
			assertShare(share.limit(), limit.limit(), instances);
			assertShare(share.capacity(), limit.capacity(), instances);
			assertShare(share.delay() + 1, limit.delay() + 1, instances);
			if (!limit.delays()) {
				assertThat(share.delays()).isFalse();
			}
			assertThat(share.longestDelay()).isLessThanOrEqualTo(limit.longestDelay());
		});
	}

	private static void assertShare(long share, long whole, int instances) {
		assertThat(share).isBetween(1L, Math.max(1, whole / instances));
	}

	@ParameterizedTest
	@EnumSource
	void oneInstanceHasAll(RateLimitAlgorithm algorithm) {
		RandomCases.check(100, (random) -> {
			RateLimit limit = RandomLimits.any(random, algorithm);
			assertThat(LocalShare.LimitShare.of(limit, 1)).isEqualTo(limit);
		});
	}

	@Test
	void aCalendarStays() {
		RateLimit limit = CalendarModel.limit(10_000, "P1M", "Europe/Berlin", "15");
		assertThat(LocalShare.LimitShare.of(limit, 4))
			.isEqualTo(CalendarModel.limit(2500, "P1M", "Europe/Berlin", "15"));
	}

	@Test
	void aQueueIsDividedLikeTheLimit() {
		RateLimit limit = RateLimit.builder(RateLimitAlgorithm.LEAKY_BUCKET)
			.limit(30)
			.window(Duration.ofMinutes(1))
			.burst(20L)
			.delay(5L)
			.build();
		assertThat(LocalShare.LimitShare.of(limit, 3)).hasToString("leaky-bucket 10 per 1 min, burst 6, delay 1");
	}

}
