package io.github.ratelimit.local;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Tick;
import io.github.ratelimit.local.Interleavings.OneKey;
import io.github.ratelimit.store.RateLimitDecisions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Calls on states that are several words, which are locked.
 */
@Tag("interleavings")
class SeqlockInterleavingTests {

	@Test
	void callsAreAnsweredAsIfOneCameAfterTheOther() {
		Interleavings.check(LockedWords.class);
	}

	/**
	 * A log that must grow, and a counter that is full before it is: several words,
	 * locked.
	 */
	public static class LockedWords extends OneKey {

		private static final RateLimitDecision GIVEN_BY_BOTH = RateLimitDecisions
			.combined(RateLimitDecisions.allowed(NOW, 0, 0, 0, 0), RateLimitDecisions.allowed(NOW, 0, 0, 0, 0));

		public LockedWords() {
			super(new LocalStates(Algorithm.of(RateLimitPolicy.builder("locked")
				.charge("status")
				.limit(Interleavings.limit(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 7))
				.limit(Interleavings.limit(RateLimitAlgorithm.SLIDING_WINDOW_COUNTER, 6))
				.build(), Tick.NANOSECOND), new LocalKeys<>(() -> NOW, 10, new MemoryBudget(Long.MAX_VALUE))));
		}

		@Override
		RateLimitDecision given() {
			return GIVEN_BY_BOTH;
		}

	}

}
