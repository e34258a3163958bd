package io.github.ratelimit.algorithm;

import java.time.Duration;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What counts that a store keeps mean for a request.
 */
class ExplainedCountsTests {

	private static final RateLimit SLIDING = RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_COUNTER, 10,
			Duration.ofSeconds(10));

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	/*
	 * A window begins at 30. Of the one before, seven tenths still count at 33: five
	 * permits, and four after 33.75. The two of this one are less than one after 45.
	 */
	@ParameterizedTest
	@EnumSource
	void theCountsOfAStoreAreExplained(Tick resolution) {
		long tick = resolution.nanosPerTick();
		long second = SECOND / tick;
		SlidingEstimate estimate = new SlidingEstimate(SLIDING, resolution);
		RateLimitDecision look = estimate.explain(33 * second, 30 * second, 2, 8, 0, true);
		assertThat(look.remaining()).isEqualTo(3);
		assertThat(look.nextPermitAfterNanos()).isEqualTo(SECOND * 3 / 4 + tick);
		assertThat(look.resetAfterNanos()).isEqualTo(12 * SECOND + tick);
		RateLimitDecision rejection = estimate.explain(33 * second, 30 * second, 2, 8, 6, false);
		assertThat(rejection.retryAfterNanos()).isEqualTo(SECOND * 13 / 4 + tick);
		assertThat(estimate.explain(33 * second, 30 * second, 2, 8, 4, false).retryAfterNanos())
			.isEqualTo(look.nextPermitAfterNanos());
	}

	@Test
	void aMomentBeforeTheWindowWaitsForTheWindowFirst() {
		OneKey key = new OneKey(SLIDING, Tick.NANOSECOND, 20 * SECOND);
		key.decide(20 * SECOND, 10);
		RateLimitDecision then = key.decide(20 * SECOND, 3);
		RateLimitDecision before = key.decide(18 * SECOND, 3);
		assertThat(before.remaining()).isZero();
		assertThat(before.resetAfterNanos()).isEqualTo(then.resetAfterNanos() + 2 * SECOND);
		assertThat(before.nextPermitAfterNanos()).isEqualTo(then.nextPermitAfterNanos() + 2 * SECOND);
		assertThat(before.retryAfterNanos()).isEqualTo(then.retryAfterNanos() + 2 * SECOND);
	}

}
