package io.github.ratelimit.local;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Tick;
import io.github.ratelimit.local.Interleavings.OneKey;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Calls on states that are one word, which is swapped.
 */
@Tag("interleavings")
class CasInterleavingTests {

	@ParameterizedTest
	@ValueSource(classes = { SwappedLevel.class, SwappedCounts.class })
	void callsAreAnsweredAsIfOneCameAfterTheOther(Class<? extends OneKey> states) {
		Interleavings.check(states);
	}

	/**
	 * A token bucket: one word, swapped.
	 */
	public static class SwappedLevel extends OneKey {

		public SwappedLevel() {
			super(swapped(RateLimitAlgorithm.TOKEN_BUCKET));
		}

	}

	/**
	 * A sliding window counter: two counts in one word, swapped.
	 */
	public static class SwappedCounts extends OneKey {

		public SwappedCounts() {
			super(swapped(RateLimitAlgorithm.SLIDING_WINDOW_COUNTER));
		}

	}

	private static LocalStates swapped(RateLimitAlgorithm algorithm) {
		return new LocalStates(Algorithm.of(Interleavings.limit(algorithm, 4), Tick.NANOSECOND, true),
				new LocalKeys<>(() -> OneKey.NOW, 10, new MemoryBudget(Long.MAX_VALUE)));
	}

}
