package io.github.ratelimit.local;

import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.local.Interleavings.OneKey;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.test.model.Decisions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Calls on one key under two limits of its policy. To carry over is a step of its own,
 * which is seen where something does not stay exactly as it was; fixed windows do.
 */
@Tag("interleavings")
class LimitInterleavingTests {

	@ParameterizedTest
	@ValueSource(classes = { SwappedCounts.class, LockedCounts.class })
	void callsAreAnsweredAsIfOneCameAfterTheOther(Class<? extends OneKey> states) {
		Interleavings.check(states);
	}

	/**
	 * What can be asked under two limits.
	 */
	public abstract static class TwoLimits extends OneKey {

		private static final RateLimitDecision GIVEN = RateLimitDecisions
			.combined(RateLimitDecisions.allowed(NOW, 0, 0, 0, 0), RateLimitDecisions.allowed(NOW, 0, 0, 0, 0));

		private final LocalStates others;

		TwoLimits(List<RateLimit> limits, List<RateLimit> others) {
			super(LocalStates.open(policy(limits), new LocalKeys<>(() -> NOW, 10, new MemoryBudget(Long.MAX_VALUE))));
			this.others = this.states.under(policy(others));
		}

		private static RateLimitPolicy policy(List<RateLimit> limits) {
			return RateLimitPolicy.builder("api").charge("status").limits(limits).build();
		}

		@Operation
		public String takeTwoUnderOthers() {
			return Decisions.describe(this.others.decide(KEY, 2));
		}

		@Operation
		public void refundUnderOthers() {
			this.others.refund(KEY, 1, given());
		}

		@Override
		RateLimitDecision given() {
			return GIVEN;
		}

	}

	/**
	 * Two words, of which one replaces the other.
	 */
	public static class SwappedCounts extends TwoLimits {

		public SwappedCounts() {
			super(List.of(fixed(8)), List.of(fixed(6)));
		}

	}

	/**
	 * Words that lock, of which some replace others.
	 */
	public static class LockedCounts extends TwoLimits {

		public LockedCounts() {
			super(List.of(fixed(8), fixed(9)), List.of(fixed(6), fixed(7)));
		}

	}

	private static RateLimit fixed(long limit) {
		return Interleavings.limit(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, limit);
	}

}
