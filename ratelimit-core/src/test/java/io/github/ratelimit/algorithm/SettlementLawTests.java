package io.github.ratelimit.algorithm;

import java.time.Duration;
import java.util.Random;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.test.model.Decisions;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.github.ratelimit.RateLimitAlgorithm.LEAKY_BUCKET;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A request that is settled has taken what it used, and no debt is larger than one
 * capacity. For limits of every shape, also those whose rate cannot be counted exactly.
 */
class SettlementLawTests {

	private static final int CASES = 1500;

	@ParameterizedTest
	@EnumSource
	void settlingAtOnceLeavesTheStateOfTakingWhatWasUsed(RateLimitAlgorithm algorithm) {
		RandomCases.check(CASES, (random) -> {
			Situation situation = Situation.charged(random, algorithm);
			long left = situation.key.look(situation.now).remaining();
			if (left == 0) {
				return;
			}
			OneKey without = situation.key.copy();
			long reserved = 1 + RandomLimits.upTo(random, left - 1);
			long used = RandomLimits.upTo(random, left);
			situation.key.settle(situation.now, reserved, used, situation.key.decide(situation.now, reserved));
			without.decide(situation.now, used);
			situation.assertSame(situation.key, without);
		});
	}

	/*
	 * A charge that meets the bound of a debt is not among what others do, because more
	 * of it would have been taken where the reservation had never been.
	 */
	@ParameterizedTest
	@EnumSource
	void settlingLaterLetsNoMoreThroughThanIfTheUnusedHadNeverBeenAskedFor(RateLimitAlgorithm algorithm) {
		RandomCases.check(2 * CASES, (random) -> {
			boolean charged = random.nextBoolean();
			Situation situation = charged ? Situation.charged(random, algorithm) : Situation.of(random, algorithm);
			RateLimit limit = situation.limit;
			if (limit.countRejected()) {
				return;
			}
			OneKey key = situation.key;
			OneKey without = key.copy();
			long reserved = 1 + RandomLimits.upTo(random, limit.capacity() - 1);
			RateLimitDecision given = key.decide(situation.now, reserved);
			if (!given.allowed()) {
				return;
			}
			long used = RandomLimits.upTo(random, reserved);
			without.decide(situation.now, used);
			RateLimitDecision last = given;
			for (int i = random.nextInt(5); i > 0; i--) {
				situation.pause(last);
				long meanwhile = RandomLimits.permits(random, last, limit.capacity());
				last = key.decide(situation.now, meanwhile);
				if (last.allowed()) {
					without.decide(situation.now, meanwhile);
				}
				if (charged && i == 1 && meanwhile > 0 && meanwhile <= limit.capacity() / 4) {
					key.charge(situation.now, meanwhile);
					without.charge(situation.now, meanwhile);
				}
			}
			situation.pause(last);
			key.settle(situation.now, reserved, used, given);
			for (int i = 0; i < 6; i++) {
				long then = situation.now + ((i == 0) ? 0 : RandomLimits.upTo(random, 3 * situation.window()));
				assertThat(key.look(then).remaining()).as("%s", situation)
					.isBetween(0L, without.look(then).remaining());
			}
		});
	}

	@ParameterizedTest
	@EnumSource
	void aDebtIsAtMostOneCapacityAndItsTimesAreExact(RateLimitAlgorithm algorithm) {
		RandomCases.check(CASES, (random) -> {
			Situation situation = Situation.charged(random, algorithm);
			OneKey key = situation.key;
			key.charge(situation.now, random.nextBoolean() ? Long.MAX_VALUE
					: 1 + RandomLimits.upTo(random, 3 * situation.limit.capacity()));
			OneKey deepest = situation.key.copy();
			deepest.charge(situation.now, Long.MAX_VALUE);
			OneKey fresh = new OneKey(situation.key.algorithm, situation.now);
			assertThat(fresh.decide(situation.now, situation.limit.capacity()).allowed()).isTrue();
			fresh.charge(situation.now, situation.limit.capacity());
			if (algorithm == TOKEN_BUCKET || algorithm == LEAKY_BUCKET) {
				assertThat(deepest.look(situation.now).resetAfterNanos()).as("%s", situation)
					.isEqualTo(fresh.look(situation.now).resetAfterNanos());
			}
			long permits = 1 + RandomLimits.upTo(random, situation.limit.capacity() - 1);
			assertTimes(random, situation, key, permits);
			assertTimes(random, situation, deepest, permits);
			assertTimes(random, situation, fresh, permits);
		});
	}

	private static void assertTimes(Random random, Situation situation, OneKey key, long permits) {
		long now = situation.now;
		RateLimitDecision look = key.look(now);
		assertThat(look.allowed()).isTrue();
		assertThat(look.remaining()).isBetween(0L, situation.limit.capacity());
		long next = situation.ticks(look.nextPermitAfterNanos());
		if (next > 0) {
			assertThat(key.look(now + next - 1).remaining()).as("%s", situation).isEqualTo(look.remaining());
			assertThat(key.look(now + next).remaining()).as("%s", situation).isGreaterThan(look.remaining());
		}
		long reset = situation.ticks(look.resetAfterNanos());
		assertThat(key.isIdle(now + reset)).as("%s", situation).isTrue();
		if (reset > 0) {
			assertThat(key.isIdle(now + reset - 1)).as("%s", situation).isFalse();
		}
		OneKey after = key.copy();
		RateLimitDecision decision = after.decide(now, permits);
		if (!decision.allowed()) {
			long retry = situation.ticks(decision.retryAfterNanos());
			assertThat(retry).isPositive();
			assertThat(after.admits(now + retry, permits)).as("%s", situation).isTrue();
			assertThat(after.admits(now + retry - 1, permits)).as("%s", situation).isFalse();
			long earlier = now + RandomLimits.upTo(random, retry - 1);
			assertThat(after.admits(earlier, permits)).as("%s", situation).isFalse();
		}
	}

	@ParameterizedTest
	@EnumSource
	void whereNothingIsChargedRoomForDebtsChangesNothing(RateLimitAlgorithm algorithm) {
		RandomCases.check(CASES, (random) -> {
			Tick resolution = Tick.values()[random.nextInt(2)];
			long tick = resolution.nanosPerTick();
			RateLimit limit = RandomLimits.exact(random, algorithm, tick, resolution.bits() - 1);
			long now = Situation.EPOCH / tick;
			OneKey key = new OneKey(Algorithm.of(limit, resolution, true), now);
			OneKey plain = new OneKey(limit, resolution, now);
			RateLimitDecision last = plain.look(now);
			for (int i = 0; i < 15; i++) {
				long permits = RandomLimits.permits(random, last, limit.capacity());
				last = plain.decide(now, permits);
				assertThat(Decisions.describe(key.decide(now, permits))).as("%s", limit)
					.isEqualTo(Decisions.describe(last));
				now += RandomLimits.pause(random, last, limit) / tick;
			}
		});
	}

	@ParameterizedTest
	@EnumSource
	void anEarlierMomentChargesNothingBack(RateLimitAlgorithm algorithm) {
		RandomCases.check(CASES, (random) -> {
			Situation situation = Situation.charged(random, algorithm);
			long left = situation.key.look(situation.now).remaining();
			long earlier = situation.now - RandomLimits.upTo(random, 3 * situation.window());
			situation.key.charge(earlier, 1 + RandomLimits.upTo(random, 2 * situation.limit.capacity()));
			assertThat(situation.key.look(situation.now).remaining()).as("%s", situation).isBetween(0L, left);
		});
	}

	/*
	 * At the beginning of its window the estimate of a clock that was set back holds more
	 * than may be taken.
	 */
	@Test
	void anEarlierMomentOfAWindowBehindADebtChargesNothingBack() {
		for (long limit : new long[] { 10, 1L << 30 }) {
			Duration window = Duration.ofHours(1);
			OneKey key = new OneKey(
					Algorithm.of(RateLimit.of(SLIDING_WINDOW_COUNTER, limit, window), Tick.NANOSECOND, true), 0);
			key.charge(0, 2 * limit);
			long later = 2 * window.toNanos() - 1;
			assertThat(key.decide(later, limit).allowed()).isTrue();
			key.charge(window.toNanos(), 1);
			assertThat(key.look(later).remaining()).isZero();
			assertThat(key.look(later + window.toNanos()).remaining()).isEqualTo(limit);
			assertThat(key.look(later + 1).remaining()).isZero();
		}
	}

}
