package io.github.ratelimit.local;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RoomyLimits;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Tick;
import io.github.ratelimit.algorithm.WordAlgorithm;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.test.model.Decisions;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Interleavings of a few calls on one key, as many as a model checker tries: each must
 * answer as if the calls had come one after the other. The clock stands still. The
 * checker ignores that a thread backs off, because it takes a loop of many turns for one
 * that does not end.
 * <p>
 * The system property {@code ratelimit.interleavings} multiplies the scenarios, for a
 * longer run than that of every build.
 */
@Tag("interleavings")
class InterleavingTests {

	private static final int SCENARIOS = 8 * Integer.getInteger("ratelimit.interleavings", 1);

	@ParameterizedTest
	@ValueSource(classes = { SwappedLevel.class, SwappedCounts.class, LockedWords.class })
	void callsAreAnsweredAsIfOneCameAfterTheOther(Class<?> states) {
		new ModelCheckingOptions().threads(2)
			.actorsPerThread(2)
			.actorsBefore(1)
			.actorsAfter(1)
			.iterations(SCENARIOS)
			.invocationsPerIteration(60)
			.addGuarantee(ManagedStrategyGuaranteeKt.forClasses(Backoff.class.getName()).allMethods().ignore())
			.check(states);
	}

	/**
	 * What can be asked of any states.
	 */
	public abstract static class OneKey {

		private static final String KEY = "key";

		static final long NOW = 1_772_668_800_000_000_000L;

		private static final RateLimitDecision GIVEN = RateLimitDecisions.allowed(NOW, 0, 0, 0, 0);

		private final LocalStates states;

		OneKey(LocalStates states) {
			this.states = states;
		}

		@Operation
		public String takeOne() {
			return Decisions.describe(this.states.decide(KEY, 1));
		}

		@Operation
		public String takeThree() {
			return Decisions.describe(this.states.decide(KEY, 3));
		}

		@Operation
		public String look() {
			return Decisions.describe(this.states.decide(KEY, 0));
		}

		@Operation
		public void giveBack() {
			this.states.giveBack(KEY, 1, given());
		}

		RateLimitDecision given() {
			return GIVEN;
		}

		@Operation
		public void reset() {
			this.states.reset(KEY);
		}

		@Operation
		public void forgetIdle() {
			this.states.forgetIdle();
		}

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

	/**
	 * A log that must grow, and a counter that is full before it is: several words,
	 * locked.
	 */
	public static class LockedWords extends OneKey {

		private static final RateLimitDecision GIVEN_BY_BOTH = RateLimitDecisions
			.combined(RateLimitDecisions.allowed(NOW, 0, 0, 0, 0), RateLimitDecisions.allowed(NOW, 0, 0, 0, 0));

		public LockedWords() {
			super(new SeqlockStates(
					Algorithm.of(List.of(limit(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 7),
							limit(RateLimitAlgorithm.SLIDING_WINDOW_COUNTER, 6)), Tick.NANOSECOND),
					() -> NOW, 10, new MemoryBudget(Long.MAX_VALUE)));
		}

		@Override
		RateLimitDecision given() {
			return GIVEN_BY_BOTH;
		}

	}

	private static CasStates swapped(RateLimitAlgorithm algorithm) {
		WordAlgorithm word = (WordAlgorithm) Algorithm.of(limit(algorithm, 4), Tick.NANOSECOND);
		return new CasStates(word, () -> OneKey.NOW, 10, new MemoryBudget(Long.MAX_VALUE));
	}

	private static RateLimit limit(RateLimitAlgorithm algorithm, long limit) {
		return RoomyLimits.of(algorithm, limit, Duration.ofMinutes(1));
	}

}
