package io.github.ratelimit.algorithm;

import java.util.function.Consumer;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.test.model.Decisions;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The laws that hold for every algorithm, over limits of every shape, also those whose
 * rate cannot be counted exactly.
 */
class AlgorithmLawTests {

	private static final int CASES = 2000;

	@ParameterizedTest
	@EnumSource
	void retryAfterIsTheFirstMomentAtWhichTheRequestPasses(RateLimitAlgorithm algorithm) {
		check(algorithm, (situation) -> {
			long permits = 1 + RandomLimits.upTo(situation.random, situation.limit.capacity() - 1);
			OneKey key = situation.key;
			RateLimitDecision decision = key.decide(situation.now, permits);
			if (!decision.allowed()) {
				long retry = situation.ticks(decision.retryAfterNanos());
				assertThat(retry).isPositive();
				assertThat(key.admits(situation.now + retry, permits)).isTrue();
				situation.before(retry, (ticks) -> assertThat(key.admits(situation.now + ticks, permits)).isFalse());
			}
		});
	}

	@ParameterizedTest
	@EnumSource
	void remainingIsTheNumberOfSinglePermitsThatPassNow(RateLimitAlgorithm algorithm) {
		check(algorithm, (situation) -> {
			long remaining = situation.key.look(situation.now).remaining();
			assertThat(remaining).isBetween(0L, situation.limit.capacity());
			assertThat(situation.key.admits(situation.now, remaining)).isTrue();
			assertThat(situation.key.admits(situation.now, remaining + 1)).isFalse();
			for (long i = remaining; i > Math.max(0, remaining - 300); i--) {
				RateLimitDecision single = situation.key.decide(situation.now, 1);
				assertThat(single.allowed()).isTrue();
				assertThat(single.remaining()).isEqualTo(i - 1);
			}
			if (remaining <= 300) {
				assertThat(situation.key.decide(situation.now, 1).allowed()).isFalse();
			}
		});
	}

	@ParameterizedTest
	@EnumSource
	void resetAfterIsTheFirstMomentAtWhichTheKeyIsAsGoodAsNew(RateLimitAlgorithm algorithm) {
		check(algorithm, (situation) -> {
			OneKey key = situation.key;
			long reset = situation.ticks(key.look(situation.now).resetAfterNanos());
			assertThat(reset).isNotNegative();
			situation.before(reset, (ticks) -> {
				assertThat(key.isIdle(situation.now + ticks)).isFalse();
				assertThat(key.admits(situation.now + ticks, situation.limit.capacity())).isFalse();
			});
			situation.now += reset;
			assertThat(key.isIdle(situation.now)).isTrue();
			situation.assertSame(key, new OneKey(key.algorithm, situation.now));
		});
	}

	@ParameterizedTest
	@EnumSource
	void nextPermitAfterIsTheFirstMomentAtWhichMoreRemains(RateLimitAlgorithm algorithm) {
		check(algorithm, (situation) -> {
			OneKey key = situation.key;
			RateLimitDecision decision = key.look(situation.now);
			long next = situation.ticks(decision.nextPermitAfterNanos());
			assertThat(next == 0).isEqualTo(decision.remaining() == situation.limit.capacity());
			situation.before(next,
					(ticks) -> assertThat(key.look(situation.now + ticks).remaining()).isEqualTo(decision.remaining()));
			if (next > 0) {
				assertThat(key.look(situation.now + next).remaining()).isGreaterThan(decision.remaining());
			}
		});
	}

	@ParameterizedTest
	@EnumSource
	void rejectionsAndLooksChangeNothing(RateLimitAlgorithm algorithm) {
		check(algorithm, (situation) -> {
			long[] words = situation.key.words();
			situation.key.look(situation.now);
			if (!situation.limit.countRejected()) {
				long remaining = situation.key.look(situation.now).remaining();
				RateLimitDecision decision = situation.key.decide(situation.now, remaining + 1);
				assertThat(decision.allowed()).isFalse();
			}
			situation.key.decide(situation.now, situation.limit.capacity() + 1);
			assertThat(situation.key.words()).isEqualTo(words);
		});
	}

	@ParameterizedTest
	@EnumSource
	void manyPermitsAtOnceAreAsManySinglePermits(RateLimitAlgorithm algorithm) {
		check(algorithm, (situation) -> {
			OneKey singly = situation.key.copy();
			long permits = 1 + situation.random.nextInt((int) Math.min(300, situation.limit.capacity()));
			if (permits > situation.key.look(situation.now).remaining()) {
				assertThat(situation.key.decide(situation.now, permits).allowed()).isFalse();
				return;
			}
			RateLimitDecision withoutDelay = situation.key.decide(situation.now, permits);
			RateLimitDecision lastOfMany = withoutDelay;
			for (long i = 0; i < permits; i++) {
				lastOfMany = singly.decide(situation.now, 1);
			}
			assertThat(Decisions.describe(lastOfMany)).isEqualTo(Decisions.describe(withoutDelay));
			if (algorithm != RateLimitAlgorithm.SLIDING_WINDOW_LOG) {
				assertThat(singly.words()).isEqualTo(situation.key.words());
			}
			situation.assertSame(singly, situation.key);
		});
	}

	@ParameterizedTest
	@EnumSource
	void moreThanTheCapacityNeverPasses(RateLimitAlgorithm algorithm) {
		check(algorithm, (situation) -> {
			long permits = situation.limit.capacity() + 1 + RandomLimits.upTo(situation.random, Long.MAX_VALUE / 4);
			RateLimitDecision decision = situation.key.decide(situation.now, permits);
			assertThat(decision.allowed()).isFalse();
			assertThat(decision.retryAfterNanos()).isEqualTo(RateLimitDecision.NEVER);
			assertThat(situation.key.admits(situation.now, Long.MAX_VALUE)).isFalse();
		});
	}

	@ParameterizedTest
	@EnumSource
	void earlierMomentsNeverGain(RateLimitAlgorithm algorithm) {
		check(algorithm, (situation) -> {
			if (!situation.key.decide(situation.now, 1).allowed()) {
				return;
			}
			OneKey steady = situation.key.copy();
			long remaining = steady.look(situation.now).remaining();
			long earlier = situation.now - RandomLimits.upTo(situation.random, 3 * situation.window());
			assertThat(situation.key.look(earlier).remaining()).isLessThanOrEqualTo(remaining);
			long permits = RandomLimits.upTo(situation.random, situation.limit.capacity());
			if (situation.key.decide(earlier, permits).allowed()) {
				assertThat(steady.decide(situation.now, permits).allowed()).isTrue();
			}
			else if (situation.limit.countRejected()) {
				return;
			}
			situation.before(2 * situation.window(),
					(ticks) -> assertThat(Decisions.describe(situation.key.look(situation.now + ticks)))
						.isEqualTo(Decisions.describe(steady.look(situation.now + ticks))));
		});
	}

	@ParameterizedTest
	@EnumSource
	void idleForYearsIsAsGoodAsNew(RateLimitAlgorithm algorithm) {
		check(algorithm, (situation) -> {
			for (int i = 0; i < 10; i++) {
				situation.now += situation.ticks(86_400_000_000_000L * 400 * (1 + situation.random.nextInt(2)));
				assertThat(situation.key.isIdle(situation.now)).isTrue();
				situation.assertSame(situation.key.copy(), new OneKey(situation.key.algorithm, situation.now));
				situation.key.decide(situation.now, RandomLimits.upTo(situation.random, situation.limit.capacity()));
			}
		});
	}

	private static void check(RateLimitAlgorithm algorithm, Consumer<Situation> law) {
		RandomCases.check(CASES, (random) -> law.accept(Situation.of(random, algorithm)));
	}

}
