package io.github.ratelimit.algorithm;

import java.time.Duration;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.test.model.Decisions;
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

	private static final RateLimit FIXED = RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 10,
			Duration.ofSeconds(10));

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

	/*
	 * Of the eight before, seven tenths are 5.6, half are 4.
	 */
	@Test
	void aPartOfAPermitIsHeldAtMostAsAWholeOne() {
		SlidingEstimate estimate = new SlidingEstimate(SLIDING, Tick.NANOSECOND);
		assertThat(estimate.heldAtMost(30 * SECOND, 30 * SECOND, 2, 8)).isEqualTo(10);
		assertThat(estimate.heldAtMost(33 * SECOND, 30 * SECOND, 2, 8)).isEqualTo(8);
		assertThat(estimate.heldAtMost(35 * SECOND, 30 * SECOND, 2, 8)).isEqualTo(6);
		assertThat(estimate.heldAtMost(33 * SECOND, 30 * SECOND, 2, 0)).isEqualTo(2);
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

	@ParameterizedTest
	@EnumSource
	void theCountOfAStoreIsExplained(Tick resolution) {
		long second = Duration.ofSeconds(1).toNanos() / resolution.nanosPerTick();
		FixedWindowCounter counter = (FixedWindowCounter) Algorithm.of(FIXED, resolution);
		OneKey key = new OneKey(FIXED, resolution, 33 * second);
		RateLimitDecision allowed = key.decide(33 * second, 8);
		assertThat(describe(counter.explain(33 * second, 3, 8, 8, true))).isEqualTo(describe(allowed));
		assertThat(describe(counter.explainUntil(33 * second, 40 * second, 8, 8, true))).isEqualTo(describe(allowed));
		RateLimitDecision rejected = key.decide(34 * second, 3);
		assertThat(describe(counter.explain(34 * second, 3, 8, 3, false))).isEqualTo(describe(rejected));
		assertThat(describe(counter.explainUntil(34 * second, 40 * second, 8, 3, false))).isEqualTo(describe(rejected));
	}

	private static String describe(RateLimitDecision decision) {
		return Decisions.describe(decision);
	}

}
