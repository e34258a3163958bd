package io.github.ratelimit.algorithm;

import java.time.Duration;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.test.model.Decisions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link FixedWindowCounter}.
 */
class FixedWindowCounterTests {

	private static final RateLimit LIMIT = RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 10,
			Duration.ofSeconds(10));

	@ParameterizedTest
	@EnumSource
	void theCountOfAStoreIsExplained(Tick resolution) {
		long second = Duration.ofSeconds(1).toNanos() / resolution.nanosPerTick();
		FixedWindowCounter counter = (FixedWindowCounter) Algorithm.of(LIMIT, resolution);
		OneKey key = new OneKey(LIMIT, resolution, 33 * second);
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
