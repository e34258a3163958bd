package io.github.ratelimit.local;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RoomyLimits;
import io.github.ratelimit.store.MemoryBudget;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.test.model.Decisions;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Interleavings of a few calls on one key, as many as a model checker tries: each must
 * answer as if the calls had come one after the other. The clock stands still. The
 * checker ignores that a thread backs off, because it takes a loop of many turns for one
 * that does not end.
 * <p>
 * The system property {@code ratelimit.interleavings} multiplies the scenarios, for a
 * longer run than that of every build.
 */
@Tag("slow")
class InterleavingTests {

	private static final int SCENARIOS = 8 * Integer.getInteger("ratelimit.interleavings", 1);

	/* The checker looks into all that lives in its process. */
	@Test
	void callsAreAnsweredAsIfOneCameAfterTheOther() throws Exception {
		JavaProcess checker = JavaProcess.run(InterleavingTests.class, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
				"-Xmx768m", "-Dratelimit.interleavings=" + SCENARIOS / 8);
		assertThat(checker.exit()).as(checker.text()).isZero();
		assertThat(checker.text()).containsSubsequence("SwappedLevel", "SwappedCounts", "LockedWords", "CarriedWords",
				"CarriedCounts are as if");
	}

	public static void main(String[] arguments) {
		for (Class<?> states : List.of(SwappedLevel.class, SwappedCounts.class, LockedWords.class, CarriedWords.class,
				CarriedCounts.class)) {
			new ModelCheckingOptions().threads(2)
				.actorsPerThread(2)
				.actorsBefore(1)
				.actorsAfter(1)
				.iterations(SCENARIOS)
				.invocationsPerIteration(60)
				.addGuarantee(ManagedStrategyGuaranteeKt.forClasses(Backoff.class.getName()).allMethods().ignore())
				.check(states);
			System.out.println(states.getSimpleName() + " are as if one call came after the other");
		}
	}

	/**
	 * What can be asked of any states.
	 */
	public abstract static class OneKey {

		static final String KEY = "key";

		static final long NOW = 1_772_668_800_000_000_000L;

		private static final RateLimitDecision GIVEN = RateLimitDecisions.allowed(NOW, 0, 0, 0, 0);

		final LocalDecider states;

		OneKey(LocalDecider states) {
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

	/**
	 * A token bucket: one word, swapped.
	 */
	public static class SwappedLevel extends OneKey {

		public SwappedLevel() {
			super(swapped(TOKEN_BUCKET));
		}

	}

	/**
	 * A sliding window counter: two counts in one word, swapped.
	 */
	public static class SwappedCounts extends OneKey {

		public SwappedCounts() {
			super(swapped(SLIDING_WINDOW_COUNTER));
		}

	}

	private static LocalDecider swapped(RateLimitAlgorithm algorithm) {
		return states(List.of(limit(algorithm, 4)));
	}

	private static LocalDecider states(List<RateLimit> limits) {
		return new LocalDecider(policy(limits),
				new LocalKeys<>(() -> OneKey.NOW, 10, new MemoryBudget(Long.MAX_VALUE)));
	}

	private static RateLimitPolicy policy(List<RateLimit> limits) {
		return RateLimitPolicy.builder("api").charge("status").limits(limits).build();
	}

	/**
	 * A log that must grow, and a counter that is full before it is: several words,
	 * locked.
	 */
	public static class LockedWords extends OneKey {

		private static final RateLimitDecision GIVEN_BY_BOTH = RateLimitDecisions
			.combined(RateLimitDecisions.allowed(NOW, 0, 0, 0, 0), RateLimitDecisions.allowed(NOW, 0, 0, 0, 0));

		public LockedWords() {
			super(states(List.of(limit(SLIDING_WINDOW_LOG, 7), limit(SLIDING_WINDOW_COUNTER, 6))));
		}

		@Override
		RateLimitDecision given() {
			return GIVEN_BY_BOTH;
		}

	}

	/**
	 * What can be asked under two limits of its policy. To carry over is a step of its
	 * own, which is seen where something does not stay exactly as it was; fixed windows
	 * do.
	 */
	public abstract static class TwoLimits extends OneKey {

		private static final RateLimitDecision GIVEN = RateLimitDecisions
			.combined(RateLimitDecisions.allowed(NOW, 0, 0, 0, 0), RateLimitDecisions.allowed(NOW, 0, 0, 0, 0));

		private final LocalDecider others;

		TwoLimits(List<RateLimit> limits, List<RateLimit> others) {
			super(states(limits));
			this.others = this.states.under(policy(others));
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
	public static class CarriedWords extends TwoLimits {

		public CarriedWords() {
			super(List.of(fixed(8)), List.of(fixed(6)));
		}

	}

	/**
	 * Words that lock, of which some replace others.
	 */
	public static class CarriedCounts extends TwoLimits {

		public CarriedCounts() {
			super(List.of(fixed(8), fixed(9)), List.of(fixed(6), fixed(7)));
		}

	}

	private static RateLimit fixed(long limit) {
		return limit(FIXED_WINDOW_COUNTER, limit);
	}

}
