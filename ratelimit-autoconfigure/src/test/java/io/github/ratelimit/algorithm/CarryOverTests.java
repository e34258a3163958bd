package io.github.ratelimit.algorithm;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RoomyLimits;
import io.github.ratelimit.store.RateLimitReceipt;
import io.github.ratelimit.test.model.Decisions;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.LEAKY_BUCKET;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What was taken stays taken when a key's limits change.
 */
class CarryOverTests {

	private static final long NOW = 1_772_668_800_000_000_000L;

	private static final Duration MINUTE = Duration.ofMinutes(1);

	@ParameterizedTest
	@EnumSource
	void takenIsTheSameNumberOfPermitsUpToTheNewCapacity(RateLimitAlgorithm algorithm) {
		for (Tick tick : Tick.values()) {
			RandomCases.check(500, (random) -> {
				RateLimit before = limit(random, algorithm, tick);
				RateLimit after = sameWindow(random, before, tick);
				long now = NOW / tick.nanosPerTick();
				KeyState key = new KeyState(Algorithm.of(before, tick), now);
				RateLimitDecision look = key.decide(now, 0);
				for (int i = random.nextInt(20); i > 0; i--) {
					now += RandomLimits.pause(random, look, before) / tick.nanosPerTick();
					key.decide(now, RandomLimits.permits(random, look, before.capacity()));
					look = key.decide(now, 0);
				}
				long taken = before.capacity() - look.remaining();
				RateLimitDecision changed = key.under(Algorithm.of(after, tick), now).decide(now, 0);
				assertThat(after.capacity() - changed.remaining()).as("%s then %s, %d taken", before, after, taken)
					.isEqualTo(Math.min(taken, after.capacity()));
			});
		}
	}

	private static RateLimit limit(Random random, RateLimitAlgorithm algorithm, Tick tick) {
		return RandomLimits.exact(random, algorithm, tick.nanosPerTick(), tick.bits());
	}

	/*
	 * Where what is taken depends on the window, it is the same.
	 */
	private static RateLimit sameWindow(Random random, RateLimit before, Tick tick) {
		RateLimitAlgorithm algorithm = before.algorithm();
		if (algorithm != SLIDING_WINDOW_LOG && algorithm != SLIDING_WINDOW_COUNTER) {
			return limit(random, algorithm, tick);
		}
		long most = before.window().toNanos() / 1000;
		long limit = 1 + RandomLimits.upTo(random, Math.min(most, (algorithm == SLIDING_WINDOW_LOG) ? 200 : most) - 1);
		return RateLimit.of(algorithm, limit, before.window());
	}

	@Test
	void slidingCounterOfAnotherWindowRoundsItsEstimateUp() {
		RandomCases.check(500, (random) -> {
			RateLimit before = RandomLimits.any(random, SLIDING_WINDOW_COUNTER);
			RateLimit after = RandomLimits.any(random, SLIDING_WINDOW_COUNTER);
			long window = before.window().toNanos();
			KeyState key = new KeyState(Algorithm.of(before, Tick.NANOSECOND), NOW);
			key.decide(NOW, 1 + RandomLimits.upTo(random, before.limit() - 1));
			long now = NOW + RandomLimits.upTo(random, 2 * window);
			long taken = before.limit() - key.decide(now, 0).remaining();
			long remaining = key.under(Algorithm.of(after, Tick.NANOSECOND), now).decide(now, 0).remaining();
			assertThat(after.limit() - remaining).as("%s then %s, %d taken", before, after, taken)
				.isBetween(Math.min(taken, after.limit()), Math.min(taken + 1, after.limit()));
		});
	}

	@ParameterizedTest
	@EnumSource
	void debtIsTheSameNumberOfPermitsUpToTwiceTheNewCapacity(RateLimitAlgorithm algorithm) {
		RandomCases.check(500, (random) -> {
			Algorithm before = charged(algorithm, 1 + random.nextInt(50));
			KeyState key = new KeyState(before, NOW);
			long taken = 1 + random.nextInt(2 * (int) before.capacity());
			key.settle(NOW, 0, taken, key.decide(NOW, 0));
			Algorithm lower = charged(algorithm, 1 + random.nextInt(50));
			long capped = (algorithm == FIXED_WINDOW_COUNTER) ? taken : Math.min(taken, 2 * lower.capacity());
			KeyState changed = key.under(lower, NOW);
			assertThat(changed.decide(NOW, 0).remaining()).isEqualTo(Math.max(0, lower.capacity() - taken));
			Algorithm roomy = charged(algorithm, 200);
			assertThat(changed.under(roomy, NOW).decide(NOW, 0).remaining()).isEqualTo(roomy.capacity() - capped);
		});
	}

	private static Algorithm charged(RateLimitAlgorithm algorithm, long limit) {
		return Algorithm.of(RoomyLimits.of(algorithm, limit, MINUTE), Tick.NANOSECOND, true);
	}

	@Test
	void higherLimitAndBackAnswersAsBefore() {
		RandomCases.check(500, (random) -> {
			RateLimitAlgorithm algorithm = RateLimitAlgorithm.values()[random.nextInt(5)];
			Algorithm free = Algorithm.of(RoomyLimits.of(algorithm, 1 + random.nextInt(50), MINUTE), Tick.NANOSECOND);
			Algorithm pro = Algorithm.of(
					RoomyLimits.of(algorithm, (algorithm == SLIDING_WINDOW_LOG) ? 100 : 50_000_000, MINUTE),
					Tick.NANOSECOND);
			KeyState key = new KeyState(free, NOW);
			KeyState changed = new KeyState(free, NOW);
			long now = NOW;
			for (int i = 0; i < 20; i++) {
				now += random.nextInt(20) * 1_000_000_000L;
				changed = changed.under(pro, now).under(free, now);
				long permits = random.nextInt((int) free.capacity() + 1);
				RateLimitDecision expected = key.decide(now, permits);
				RateLimitDecision decision = changed.decide(now, permits);
				assertThat(decision.remaining()).isEqualTo(expected.remaining());
				if (!algorithm.equals(TOKEN_BUCKET) && !algorithm.equals(LEAKY_BUCKET)) {
					assertThat(Decisions.describe(decision)).isEqualTo(Decisions.describe(expected));
				}
			}
		});
	}

	@Test
	void nobodyGainsByALowerLimitOfAFixedWindowAndBack() {
		Algorithm pro = Algorithm.of(RateLimit.of(FIXED_WINDOW_COUNTER, 6000, MINUTE), Tick.NANOSECOND);
		Algorithm free = Algorithm.of(RateLimit.of(FIXED_WINDOW_COUNTER, 60, MINUTE), Tick.NANOSECOND);
		KeyState key = new KeyState(pro, NOW);
		RateLimitDecision given = key.decide(NOW, 500);
		KeyState lowered = key.under(free, NOW);
		assertThat(lowered.decide(NOW, 1).allowed()).isFalse();
		assertThat(lowered.under(pro, NOW).decide(NOW, 0).remaining()).isEqualTo(5500);
		lowered.refund(NOW, 480, given);
		assertThat(lowered.decide(NOW, 0).remaining()).isEqualTo(40);
		lowered.settle(NOW, 0, 100, given);
		lowered.settle(NOW, 0, 100, given);
		assertThat(lowered.decide(NOW, 0).remaining()).isZero();
		assertThat(lowered.under(pro, NOW).decide(NOW, 0).remaining()).isEqualTo(5940);
	}

	@Test
	void whatTheCurrentWindowCountsCountsInAWindowOfAnotherLength() {
		Algorithm minute = Algorithm.of(RateLimit.of(FIXED_WINDOW_COUNTER, 60, MINUTE), Tick.NANOSECOND);
		Algorithm hour = Algorithm.of(RateLimit.of(FIXED_WINDOW_COUNTER, 40, Duration.ofHours(1)), Tick.NANOSECOND);
		KeyState key = new KeyState(minute, NOW);
		RateLimitDecision given = key.decide(NOW, 50);
		long later = NOW + Duration.ofSeconds(59).toNanos();
		KeyState hourly = key.under(hour, later);
		hourly.refund(later, 50, given);
		assertThat(hourly.decide(later, 0).remaining()).isZero();
		assertThat(hourly.decide(later, 0).resetAfterNanos()).isEqualTo(Duration.ofSeconds(3541).toNanos());
		assertThat(hourly.under(minute, later).decide(later, 0).remaining()).isEqualTo(20);
		assertThat(key.under(hour, later + 1_000_000_000L).decide(later + 1_000_000_000L, 0).remaining()).isEqualTo(40);
	}

	@Test
	void logKeepsTheNewestStampsThatCountUnderBothLimits() {
		Algorithm wide = Algorithm.of(RateLimit.of(SLIDING_WINDOW_LOG, 10, MINUTE), Tick.NANOSECOND);
		Algorithm low = Algorithm.of(RateLimit.of(SLIDING_WINDOW_LOG, 2, MINUTE), Tick.NANOSECOND);
		Algorithm narrow = Algorithm.of(RateLimit.of(SLIDING_WINDOW_LOG, 10, MINUTE.dividedBy(2)), Tick.NANOSECOND);
		KeyState key = new KeyState(wide, NOW);
		long second = 1_000_000_000L;
		for (int i = 0; i < 5; i++) {
			key.decide(NOW + i * 10 * second, 1);
		}
		long now = NOW + 40 * second;
		RateLimitDecision lowered = key.under(low, now).decide(now, 1);
		assertThat(lowered.retryAfterNanos()).isEqualTo(50 * second);
		assertThat(key.under(narrow, now).decide(now, 0).remaining()).isEqualTo(7);
		assertThat(key.under(narrow, now).under(wide, now).decide(now, 0).remaining()).isEqualTo(7);
	}

	@ParameterizedTest
	@EnumSource
	void anotherAlgorithmBeginsAnew(RateLimitAlgorithm algorithm) {
		for (RateLimitAlgorithm other : RateLimitAlgorithm.values()) {
			KeyState key = new KeyState(Algorithm.of(RoomyLimits.of(algorithm, 7, MINUTE), Tick.NANOSECOND), NOW);
			key.decide(NOW, 5);
			RateLimit next = RoomyLimits.of(other, 10, MINUTE);
			assertThat(key.under(Algorithm.of(next, Tick.NANOSECOND), NOW).decide(NOW, 0).remaining())
				.isEqualTo(next.capacity() - ((other == algorithm) ? 5 : 0));
		}
	}

	@Test
	void limitsFollowThoseOfTheSameIndex() {
		RateLimit log = RateLimit.of(SLIDING_WINDOW_LOG, 20, MINUTE);
		RateLimit bucket = RateLimit.of(TOKEN_BUCKET, 30, MINUTE);
		RateLimit counter = RateLimit.of(SLIDING_WINDOW_COUNTER, 40, MINUTE);
		KeyState key = new KeyState(Algorithm.of(List.of(log, bucket, counter), Tick.NANOSECOND), NOW);
		key.decide(NOW, 7);
		assertThat(remaining(key, log, bucket, counter)).containsExactly(13L, 23L, 33L);
		assertThat(remaining(key, log, counter, bucket)).containsExactly(13L, 40L, 30L);
		assertThat(remaining(key, log, bucket)).containsExactly(13L, 23L);
		assertThat(remaining(key, log)).containsExactly(13L);
		assertThat(remaining(key, bucket, bucket)).containsExactly(30L, 23L);
		assertThat(remaining(key, log, bucket, counter, log)).containsExactly(13L, 23L, 33L, 20L);
		KeyState single = key.under(Algorithm.of(log, Tick.NANOSECOND), NOW);
		assertThat(remaining(single, log, bucket)).containsExactly(13L, 30L);
	}

	private static List<Long> remaining(KeyState key, RateLimit... limits) {
		RateLimitDecision look = key.under(Algorithm.of(List.of(limits), Tick.NANOSECOND), NOW).decide(NOW, 0);
		return look.limits().isEmpty() ? List.of(look.remaining())
				: look.limits().stream().map(LimitStatus::remaining).toList();
	}

	@Test
	void largeSlidingCounterAnswersAsASmallOne() {
		RandomCases.check(200, (random) -> {
			RateLimit small = RateLimit.of(SLIDING_WINDOW_COUNTER, 1000, Duration.ofHours(1));
			RateLimit large = RateLimit.of(SLIDING_WINDOW_COUNTER, 1L << 31, Duration.ofHours(1));
			Algorithm narrow = Algorithm.of(small, Tick.NANOSECOND);
			Algorithm wide = Algorithm.of(large, Tick.NANOSECOND);
			assertThat(narrow).isInstanceOf(WordAlgorithm.class);
			assertThat(wide).isNotInstanceOf(WordAlgorithm.class);
			KeyState key = new KeyState(narrow, NOW);
			KeyState changed = new KeyState(narrow, NOW);
			long now = NOW;
			List<RateLimitDecision> given = new ArrayList<>();
			for (int i = 0; i < 10; i++) {
				now += RandomLimits.upTo(random, Duration.ofHours(2).toNanos());
				changed = changed.under(wide, now).under(narrow, now);
				given.add(key.decide(now, 100));
				assertThat(Decisions.describe(changed.decide(now, 100))).isEqualTo(Decisions.describe(given.get(i)));
				RateLimitDecision back = given.get(random.nextInt(i + 1));
				key.refund(now, 30, back);
				changed.refund(now, 30, back);
			}
		});
	}

	/*
	 * Half an hour into the second window, half of the ten and two are held, of which the
	 * limit knows five. Of the five that it can count of the window before, two are left.
	 */
	@Test
	void whatTheWindowBeforeCannotCountAnyMoreCountsInTheCurrentOne() {
		Duration hour = Duration.ofHours(1);
		KeyState key = new KeyState(Algorithm.of(RateLimit.of(SLIDING_WINDOW_COUNTER, 10, hour), Tick.NANOSECOND), NOW);
		key.decide(NOW, 10);
		long now = NOW + hour.toNanos() * 3 / 2;
		key.decide(now, 2);
		KeyState changed = key.under(Algorithm.of(RateLimit.of(SLIDING_WINDOW_COUNTER, 5, hour), Tick.NANOSECOND), now);
		assertThat(changed.decide(now, 0).remaining()).isZero();
		assertThat(changed.decide(now + hour.toNanos() / 4, 0).remaining()).isEqualTo(1);
		assertThat(changed.decide(now + hour.toNanos() / 2, 0).remaining()).isEqualTo(2);
	}

	@Test
	void largeSlidingCounterIsNeverMoreThanOneCapacityInDebt() {
		long limit = 1L << 31;
		Algorithm wide = Algorithm.of(RateLimit.of(SLIDING_WINDOW_COUNTER, limit, Duration.ofHours(1)), Tick.NANOSECOND,
				true);
		KeyState key = new KeyState(wide, NOW);
		RateLimitDecision given = key.decide(NOW, 0);
		key.settle(NOW, 0, 3 * limit, given);
		String once = Decisions.describe(key.decide(NOW, 0));
		key.settle(NOW, 0, limit, given);
		assertThat(Decisions.describe(key.decide(NOW, 0))).isEqualTo(once);
		assertThat(key
			.under(Algorithm.of(RateLimit.of(SLIDING_WINDOW_COUNTER, 4 * limit, Duration.ofDays(1)), Tick.NANOSECOND),
					NOW)
			.decide(NOW, 0)
			.remaining()).isEqualTo(2 * limit);
	}

	/*
	 * Also in the instant of the change, and whatever else was taken before.
	 */
	@ParameterizedTest
	@EnumSource
	void whatIsRefundedUnderOtherLimitsIsNeverMoreThanWasTaken(RateLimitAlgorithm algorithm) {
		RandomCases.check(500, (random) -> {
			List<RateLimit> limits = List.of(RoomyLimits.of(algorithm, 40, MINUTE),
					RoomyLimits.of(RateLimitAlgorithm.values()[random.nextInt(5)], 30, MINUTE));
			List<RateLimit> others = List.of(RoomyLimits.of(algorithm, 5 + random.nextInt(100), MINUTE),
					RoomyLimits.of(RateLimitAlgorithm.values()[random.nextInt(5)], 30, MINUTE.multipliedBy(2)));
			Algorithm before = Algorithm.of(limits, Tick.NANOSECOND);
			Algorithm after = Algorithm.of(others, Tick.NANOSECOND);
			long now = NOW;
			long first = 1 + random.nextInt(15);
			long second = 1 + random.nextInt(15);
			long[] state = before.create(now);
			state = taken(before, state, now, first);
			RateLimitReceipt given = RateLimitReceipt.of(before.decision(state, 0, now, first, true));
			long[] without = taken(before, before.create(now), now + 1, second);
			now++;
			state = taken(before, state, now, second);
			now += random.nextInt(2) * RandomLimits.upTo(random, 2 * MINUTE.toNanos());
			state = after.create(now, before, state);
			without = after.create(now, before, without);
			now += random.nextInt(2) * RandomLimits.upTo(random, 2 * MINUTE.toNanos());
			after.refund(state, 0, now, first, after.receipt(before, given));
			RateLimitDecision decision = after.decision(state, 0, now, 0, true);
			RateLimitDecision bound = after.decision(without, 0, now, 0, true);
			for (int i = 0; i < 2; i++) {
				assertThat(decision.limits().get(i).remaining()).as("%s then %s", limits, others)
					.isLessThanOrEqualTo(bound.limits().get(i).remaining());
			}
		});
	}

	private static long[] taken(Algorithm algorithm, long[] state, long now, long permits) {
		long[] larger = algorithm.enlarged(state, now, permits);
		algorithm.take(larger, 0, now, permits);
		return larger;
	}

	@Test
	void whatAWindowStillCountsCanBeRefundedUnderOtherLimits() {
		for (RateLimitAlgorithm algorithm : List.of(FIXED_WINDOW_COUNTER, SLIDING_WINDOW_COUNTER, SLIDING_WINDOW_LOG)) {
			Algorithm free = Algorithm.of(RateLimit.of(algorithm, 10, MINUTE), Tick.NANOSECOND);
			Algorithm pro = Algorithm.of(RateLimit.of(algorithm, 100, MINUTE), Tick.NANOSECOND);
			long[] state = taken(free, free.create(NOW), NOW, 4);
			RateLimitReceipt given = RateLimitReceipt.of(free.decision(state, 0, NOW, 4, true));
			long now = NOW + 1_000_000_000L;
			long[] changed = pro.create(now, free, state);
			pro.refund(changed, 0, now, 3, pro.receipt(free, given));
			assertThat(pro.decision(changed, 0, now, 0, true).remaining()).as("%s", algorithm).isEqualTo(99);
		}
	}

	@Test
	void bucketOfTheSameRateRefundsWhereverItIs() {
		Algorithm low = Algorithm.of(bucket(60, 10), Tick.NANOSECOND);
		Algorithm high = Algorithm.of(bucket(60, 60), Tick.NANOSECOND);
		Algorithm fast = Algorithm.of(bucket(120, 60), Tick.NANOSECOND);
		long[] state = taken(low, low.create(NOW), NOW, 4);
		RateLimitReceipt given = RateLimitReceipt.of(low.decision(state, 0, NOW, 4, true));
		assertThat(returned(high, low, state, given)).isEqualTo(60);
		assertThat(returned(fast, low, state, given)).isEqualTo(56);
		long[] raised = taken(high, high.create(NOW), NOW, 40);
		RateLimitReceipt more = RateLimitReceipt.of(high.decision(raised, 0, NOW, 40, true));
		assertThat(returned(low, high, raised, more)).isZero();
	}

	private static RateLimit bucket(long limit, long burst) {
		return RateLimit.builder(TOKEN_BUCKET).limit(limit).window(MINUTE).burst(burst).build();
	}

	private static long returned(Algorithm algorithm, Algorithm before, long[] old, RateLimitReceipt given) {
		long[] state = algorithm.create(NOW, before, old);
		algorithm.refund(state, 0, NOW, 40, algorithm.receipt(before, given));
		return algorithm.decision(state, 0, NOW, 0, true).remaining();
	}

	@Test
	void aLimitBehindTheLastOfThoseBeforeBeginsAnew() {
		Algorithm one = Algorithm.of(RateLimit.of(TOKEN_BUCKET, 10, MINUTE), Tick.NANOSECOND);
		Algorithm two = Algorithm.of(List.of(bucket(20, 20), RateLimit.of(SLIDING_WINDOW_LOG, 5, MINUTE)),
				Tick.NANOSECOND);
		long[] state = two.create(NOW, one, taken(one, one.create(NOW), NOW, 6));
		assertThat(two.decision(state, 0, NOW, 0, true).limits()).extracting(LimitStatus::remaining)
			.containsExactly(14L, 5L);
	}

}
