package io.github.ratelimit.local;

import java.time.Duration;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RoomyLimits;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.test.model.Decisions;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;

/**
 * Interleavings of a few calls on one key, as many as a model checker tries: each must
 * answer as if the calls had come one after the other. The clock stands still. The
 * checker ignores that a thread backs off, because it takes a loop of many turns for one
 * that does not end.
 * <p>
 * The system property {@code ratelimit.interleavings} multiplies the scenarios, for a
 * longer run than that of every build.
 */
final class Interleavings {

	private static final int SCENARIOS = 8 * Integer.getInteger("ratelimit.interleavings", 1);

	private Interleavings() {
	}

	static void check(Class<? extends OneKey> states) {
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

		static final String KEY = "key";

		static final long NOW = 1_772_668_800_000_000_000L;

		private static final RateLimitDecision GIVEN = RateLimitDecisions.allowed(NOW, 0, 0, 0, 0);

		final LocalStates states;

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
		public void refund() {
			this.states.refund(KEY, 1, given());
		}

		@Operation
		public void useTwoMore() {
			this.states.settle(KEY, 1, 3, given());
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
			this.states.keys.forgetIdle();
		}

	}

	static RateLimit limit(RateLimitAlgorithm algorithm, long limit) {
		return RoomyLimits.of(algorithm, limit, Duration.ofMinutes(1));
	}

}
