package io.github.ratelimit.algorithm;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RoomyLimits;
import io.github.ratelimit.store.RateLimitReceipt;
import io.github.ratelimit.test.model.Decisions;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.LEAKY_BUCKET;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What was taken stays taken when a key's limits change, and is refunded afterwards as
 * far as it is still known.
 */
class CarryOverTests {

	/* A window of each length begins. */
	private static final long NOW = 1_772_668_800_000_000_000L;

	private static final long SECOND = 1_000_000_000;

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final Duration HOUR = Duration.ofHours(1);

	/* So large that its two counts need a word each. */
	private static final Algorithm LARGE = of(RateLimit.of(SLIDING_WINDOW_COUNTER, 1L << 31, HOUR));

	@ParameterizedTest
	@EnumSource
	void takenIsTheSameNumberOfPermitsUpToTheNewCapacity(RateLimitAlgorithm algorithm) {
		for (Tick tick : Tick.values()) {
			RandomCases.check(500, (random) -> {
				RateLimit before = limit(random, algorithm, tick);
				RateLimit after = sameWindow(random, before, tick);
				long now = NOW / tick.nanosPerTick();
				KeyState key = new KeyState(Algorithm.of(before, tick, false), now);
				RateLimitDecision look = key.decide(now, 0);
				for (int i = random.nextInt(20); i > 0; i--) {
					now += RandomLimits.pause(random, look, before) / tick.nanosPerTick();
					key.decide(now, RandomLimits.permits(random, look, before.capacity()));
					look = key.decide(now, 0);
				}
				long taken = before.capacity() - look.remaining();
				RateLimitDecision changed = key.under(Algorithm.of(after, tick, false), now).decide(now, 0);
				assertThat(after.capacity() - changed.remaining()).as("%s then %s, %d taken", before, after, taken)
					.isEqualTo(Math.min(taken, after.capacity()));
			});
		}
	}

	@ParameterizedTest
	@EnumSource
	void aLowerLimitLetsNobodyPassThoughRequestsMayWaitAndMuchMoreWasTakenBefore(Tick tick) {
		Duration second = Duration.ofSeconds(1);
		long now = (NOW + SECOND) / tick.nanosPerTick();
		KeyState key = new KeyState(
				Algorithm.reserving(RateLimit.of(FIXED_WINDOW_COUNTER, 10_000, Duration.ofDays(30)), tick, second),
				now);
		key.decide(now, 4000);
		KeyState lowered = key
			.under(Algorithm.reserving(RateLimit.of(FIXED_WINDOW_COUNTER, 1, Duration.ofDays(30)), tick, second), now);
		RateLimitDecision decision = lowered.decide(now, 1);
		assertThat(decision.allowed()).isFalse();
		assertThat(decision.resetAfterNanos()).isPositive();
		assertThat(decision.nextPermitAfterNanos()).isPositive();
		long retry = now + decision.retryAfterNanos() / tick.nanosPerTick();
		assertThat(lowered.decide(retry - 1, 1).allowed()).isFalse();
		assertThat(lowered.decide(retry, 1).allowed()).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void whatAHigherLimitHasGivenIsNoReservationUnderALowerOne(Tick tick) {
		Duration second = Duration.ofSeconds(1);
		long now = NOW / tick.nanosPerTick();
		KeyState key = new KeyState(Algorithm.reserving(RateLimit.of(FIXED_WINDOW_COUNTER, 100, MINUTE), tick, second),
				now);
		key.decide(now, 90);
		KeyState lowered = key.under(Algorithm.reserving(RateLimit.of(FIXED_WINDOW_COUNTER, 10, MINUTE), tick, second),
				now);
		long later = now + 2 * MINUTE.toNanos() / tick.nanosPerTick();
		assertThat(lowered.decide(later, 10).allowed()).isTrue();
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
			KeyState key = new KeyState(of(before), NOW);
			key.decide(NOW, 1 + RandomLimits.upTo(random, before.limit() - 1));
			long now = NOW + RandomLimits.upTo(random, 2 * before.window().toNanos());
			long taken = before.limit() - key.decide(now, 0).remaining();
			assertThat(after.limit() - remaining(key.under(of(after), now), now))
				.as("%s then %s, %d taken", before, after, taken)
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
			assertThat(remaining(changed, NOW)).isEqualTo(Math.max(0, lower.capacity() - taken));
			Algorithm roomy = charged(algorithm, 200);
			assertThat(remaining(changed.under(roomy, NOW), NOW)).isEqualTo(roomy.capacity() - capped);
		});
	}

	private static Algorithm charged(RateLimitAlgorithm algorithm, long limit) {
		return Algorithm.of(RoomyLimits.of(algorithm, limit, MINUTE), Tick.NANOSECOND, true);
	}

	@Test
	void higherLimitAndBackAnswersAsBefore() {
		RandomCases.check(500, (random) -> {
			RateLimitAlgorithm algorithm = RateLimitAlgorithm.values()[random.nextInt(5)];
			Algorithm free = of(RoomyLimits.of(algorithm, 1 + random.nextInt(50), MINUTE));
			Algorithm pro = of(RoomyLimits.of(algorithm, (algorithm == SLIDING_WINDOW_LOG) ? 100 : 50_000_000, MINUTE));
			KeyState key = new KeyState(free, NOW);
			KeyState changed = new KeyState(free, NOW);
			long now = NOW;
			for (int i = 0; i < 20; i++) {
				now += random.nextInt(20) * SECOND;
				changed = changed.under(pro, now).under(free, now);
				long permits = random.nextInt((int) free.capacity() + 1);
				RateLimitDecision expected = key.decide(now, permits);
				RateLimitDecision decision = changed.decide(now, permits);
				assertThat(decision.remaining()).isEqualTo(expected.remaining());
				if (algorithm != TOKEN_BUCKET && algorithm != LEAKY_BUCKET) {
					assertThat(Decisions.describe(decision)).isEqualTo(Decisions.describe(expected));
				}
			}
		});
	}

	@Test
	void nobodyGainsByALowerLimitOfAFixedWindowAndBack() {
		Algorithm pro = of(RateLimit.of(FIXED_WINDOW_COUNTER, 6000, MINUTE));
		KeyState key = new KeyState(pro, NOW);
		RateLimitDecision given = key.decide(NOW, 500);
		KeyState lowered = key.under(of(RateLimit.of(FIXED_WINDOW_COUNTER, 60, MINUTE)), NOW);
		assertThat(lowered.decide(NOW, 1).allowed()).isFalse();
		assertThat(remaining(lowered.under(pro, NOW), NOW)).isEqualTo(5500);
		lowered.refund(NOW, 480, given);
		assertThat(remaining(lowered, NOW)).isEqualTo(40);
		lowered.settle(NOW, 0, 100, given);
		lowered.settle(NOW, 0, 100, given);
		assertThat(remaining(lowered, NOW)).isZero();
		assertThat(remaining(lowered.under(pro, NOW), NOW)).isEqualTo(5940);
	}

	@Test
	void whatTheCurrentWindowCountsCountsInAWindowOfAnotherLength() {
		Algorithm minute = of(RateLimit.of(FIXED_WINDOW_COUNTER, 60, MINUTE));
		Algorithm hour = of(RateLimit.of(FIXED_WINDOW_COUNTER, 40, HOUR));
		KeyState key = new KeyState(minute, NOW);
		RateLimitDecision given = key.decide(NOW, 50);
		long later = NOW + 59 * SECOND;
		KeyState hourly = key.under(hour, later);
		hourly.refund(later, 50, given);
		assertThat(remaining(hourly, later)).isZero();
		assertThat(hourly.decide(later, 0).resetAfterNanos()).isEqualTo(3541 * SECOND);
		assertThat(remaining(hourly.under(minute, later), later)).isEqualTo(20);
		assertThat(remaining(key.under(hour, later + SECOND), later + SECOND)).isEqualTo(40);
	}

	@Test
	void logKeepsTheNewestStampsThatCountUnderBothLimits() {
		Algorithm wide = of(RateLimit.of(SLIDING_WINDOW_LOG, 10, MINUTE));
		Algorithm low = of(RateLimit.of(SLIDING_WINDOW_LOG, 2, MINUTE));
		Algorithm narrow = of(RateLimit.of(SLIDING_WINDOW_LOG, 10, MINUTE.dividedBy(2)));
		KeyState key = new KeyState(wide, NOW);
		for (int i = 0; i < 5; i++) {
			key.decide(NOW + i * 10 * SECOND, 1);
		}
		long now = NOW + 40 * SECOND;
		assertThat(key.under(low, now).decide(now, 1).retryAfterNanos()).isEqualTo(50 * SECOND);
		assertThat(remaining(key.under(narrow, now), now)).isEqualTo(7);
		assertThat(remaining(key.under(narrow, now).under(wide, now), now)).isEqualTo(7);
	}

	@Test
	void limitsFollowThoseOfTheSameIndexAndAnotherAlgorithmBeginsAnew() {
		RateLimit log = RateLimit.of(SLIDING_WINDOW_LOG, 20, MINUTE);
		RateLimit bucket = RateLimit.of(TOKEN_BUCKET, 30, MINUTE);
		RateLimit counter = RateLimit.of(SLIDING_WINDOW_COUNTER, 40, MINUTE);
		KeyState key = new KeyState(of(log, bucket, counter), NOW);
		key.decide(NOW, 7);
		assertThat(remaining(key, log, bucket, counter)).containsExactly(13L, 23L, 33L);
		assertThat(remaining(key, log, counter, bucket)).containsExactly(13L, 40L, 30L);
		assertThat(remaining(key, log, bucket)).containsExactly(13L, 23L);
		assertThat(remaining(key, log)).containsExactly(13L);
		assertThat(remaining(key, bucket, bucket)).containsExactly(30L, 23L);
		assertThat(remaining(key, log, bucket, counter, log)).containsExactly(13L, 23L, 33L, 20L);
		assertThat(remaining(key.under(of(log), NOW), log, bucket)).containsExactly(13L, 30L);
	}

	private static List<Long> remaining(KeyState key, RateLimit... limits) {
		return key.under(of(limits), NOW).decide(NOW, 0).limits().stream().map(LimitStatus::remaining).toList();
	}

	@Test
	void largeSlidingCounterAnswersAsASmallOne() {
		RandomCases.check(200, (random) -> {
			Algorithm narrow = of(RateLimit.of(SLIDING_WINDOW_COUNTER, 1000, HOUR));
			assertThat(narrow).isInstanceOf(WordAlgorithm.class);
			assertThat(LARGE).isNotInstanceOf(WordAlgorithm.class);
			KeyState key = new KeyState(narrow, NOW);
			KeyState changed = new KeyState(narrow, NOW);
			long now = NOW;
			List<RateLimitDecision> given = new ArrayList<>();
			for (int i = 0; i < 10; i++) {
				now += RandomLimits.upTo(random, 2 * HOUR.toNanos());
				changed = changed.under(LARGE, now).under(narrow, now);
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
		KeyState key = new KeyState(of(RateLimit.of(SLIDING_WINDOW_COUNTER, 10, HOUR)), NOW);
		key.decide(NOW, 10);
		long now = NOW + HOUR.toNanos() * 3 / 2;
		key.decide(now, 2);
		KeyState changed = key.under(of(RateLimit.of(SLIDING_WINDOW_COUNTER, 5, HOUR)), now);
		assertThat(remaining(changed, now)).isZero();
		assertThat(remaining(changed, now + HOUR.toNanos() / 4)).isEqualTo(1);
		assertThat(remaining(changed, now + HOUR.toNanos() / 2)).isEqualTo(2);
	}

	@Test
	void largeSlidingCounterIsNeverMoreThanOneCapacityInDebt() {
		long limit = 1L << 31;
		KeyState key = new KeyState(
				Algorithm.of(RateLimit.of(SLIDING_WINDOW_COUNTER, limit, HOUR), Tick.NANOSECOND, true), NOW);
		RateLimitDecision given = key.decide(NOW, 0);
		key.settle(NOW, 0, 3 * limit, given);
		String once = Decisions.describe(key.decide(NOW, 0));
		key.settle(NOW, 0, limit, given);
		assertThat(Decisions.describe(key.decide(NOW, 0))).isEqualTo(once);
		Algorithm larger = of(RateLimit.of(SLIDING_WINDOW_COUNTER, 4 * limit, Duration.ofDays(1)));
		assertThat(remaining(key.under(larger, NOW), NOW)).isEqualTo(2 * limit);
	}

	/*
	 * Also in the instant of the change, and whatever else was taken before.
	 */
	@ParameterizedTest
	@EnumSource
	void whatIsRefundedUnderOtherLimitsIsNeverMoreThanWasTaken(RateLimitAlgorithm algorithm) {
		RandomCases.check(500, (random) -> {
			RateLimit[] limits = { RoomyLimits.of(algorithm, 40, MINUTE), any(random, MINUTE) };
			RateLimit[] others = { RoomyLimits.of(algorithm, 5 + random.nextInt(100), MINUTE),
					any(random, MINUTE.multipliedBy(2)) };
			Algorithm before = of(limits);
			Algorithm after = of(others);
			Change change = new Change(before, NOW, 1 + random.nextInt(15));
			long second = 1 + random.nextInt(15);
			change.state = taken(before, change.state, NOW + 1, second);
			long[] without = taken(before, before.create(NOW), NOW + 1, second);
			long now = NOW + 1 + random.nextInt(2) * RandomLimits.upTo(random, 2 * MINUTE.toNanos());
			long[] state = change.to(after, now);
			without = after.create(now, before, without);
			now += random.nextInt(2) * RandomLimits.upTo(random, 2 * MINUTE.toNanos());
			change.refund(after, state, now);
			for (int i = 0; i < 2; i++) {
				assertThat(look(after, state, now).limits().get(i).remaining())
					.as("%s then %s", List.of(limits), List.of(others))
					.isLessThanOrEqualTo(look(after, without, now).limits().get(i).remaining());
			}
		});
	}

	private static RateLimit any(Random random, Duration window) {
		return RoomyLimits.of(RateLimitAlgorithm.values()[random.nextInt(5)], 30, window);
	}

	@ParameterizedTest
	@EnumSource
	void whatAnotherAlgorithmGaveIsNoneOfThisOnes(RateLimitAlgorithm other) {
		for (RateLimitAlgorithm algorithm : RateLimitAlgorithm.values()) {
			if (algorithm != other) {
				assertThatNothingIsRefunded(of(RoomyLimits.of(other, 50, HOUR)),
						of(RoomyLimits.of(algorithm, 50, HOUR)));
			}
		}
		if (other != SLIDING_WINDOW_COUNTER) {
			assertThatNothingIsRefunded(of(RoomyLimits.of(other, 50, HOUR)), LARGE);
			assertThatNothingIsRefunded(LARGE, of(RoomyLimits.of(other, 50, HOUR)));
		}
	}

	private static void assertThatNothingIsRefunded(Algorithm before, Algorithm after) {
		Change change = new Change(before, NOW, 4);
		long[] state = taken(after, change.to(after, NOW), NOW, 7);
		change.refund(after, state, NOW);
		assertThat(look(after, state, NOW).remaining()).isEqualTo(after.capacity() - 7);
	}

	@ParameterizedTest
	@ValueSource(longs = { 0, 1 })
	void whatAWindowStillCountsIsRefundedAlsoInTheInstantOfTheChange(long seconds) {
		for (RateLimitAlgorithm algorithm : List.of(FIXED_WINDOW_COUNTER, SLIDING_WINDOW_COUNTER, SLIDING_WINDOW_LOG)) {
			assertThatAllIsRefunded(of(RateLimit.of(algorithm, 10, HOUR)), of(RateLimit.of(algorithm, 100, HOUR)),
					seconds);
		}
		assertThatAllIsRefunded(of(RateLimit.of(SLIDING_WINDOW_COUNTER, 10, HOUR)), LARGE, seconds);
		assertThatAllIsRefunded(LARGE, of(RateLimit.of(SLIDING_WINDOW_COUNTER, 10, HOUR)), seconds);
	}

	private static void assertThatAllIsRefunded(Algorithm before, Algorithm after, long seconds) {
		long now = NOW + seconds * SECOND;
		Change change = new Change(before, NOW, 4);
		long[] state = change.to(after, now);
		assertThat(look(after, state, now).remaining()).isEqualTo(after.capacity() - 4);
		change.refund(after, state, now);
		assertThat(look(after, state, now).remaining()).isEqualTo(after.capacity());
	}

	@Test
	void whatCountsFromTheChangeOnIsNotRefundedEvenInItsInstant() {
		for (RateLimitAlgorithm algorithm : List.of(FIXED_WINDOW_COUNTER, SLIDING_WINDOW_COUNTER)) {
			assertThat(refundedAtOnce(RateLimit.of(algorithm, 10, MINUTE), 4, RateLimit.of(algorithm, 10, HOUR)))
				.as("%s", algorithm)
				.isEqualTo(6);
		}
		assertThat(refundedAtOnce(RateLimit.of(SLIDING_WINDOW_COUNTER, 10, HOUR), 6,
				RateLimit.of(SLIDING_WINDOW_COUNTER, 5, HOUR)))
			.as("more than the limit can count")
			.isZero();
	}

	private static long refundedAtOnce(RateLimit before, long permits, RateLimit after) {
		Change change = new Change(of(before), NOW, permits);
		long[] state = change.to(of(after), NOW);
		change.refund(of(after), state, NOW);
		return look(of(after), state, NOW).remaining();
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 3600 })
	void whatTheLimitCanJustCountIsRefundedFromEitherWindow(long seconds) {
		Algorithm low = of(RateLimit.of(SLIDING_WINDOW_COUNTER, 5, HOUR));
		Change change = new Change(of(RateLimit.of(SLIDING_WINDOW_COUNTER, 10, HOUR)), NOW, 5);
		long now = NOW + seconds * SECOND;
		long[] state = change.to(low, now);
		assertThat(look(low, state, now).remaining()).isZero();
		change.refund(low, state, now);
		assertThat(look(low, state, now).remaining()).isEqualTo(5);
	}

	@Test
	void aBucketOfTheSameRateRefundsWhatWasTakenBehindOthersAndAnotherNothing() {
		Algorithm low = of(bucket(60, 10));
		Algorithm high = of(bucket(60, 60));
		Change change = new Change(low, taken(low, low.create(NOW), NOW, 4), NOW, 3);
		long[] state = change.to(high, NOW + SECOND);
		change.refund(high, state, NOW + 2 * SECOND);
		assertThat(look(high, state, NOW + 2 * SECOND).remaining()).isEqualTo(58);
		assertThat(refundedAtOnce(bucket(60, 10), 4, bucket(60, 60))).isEqualTo(60);
		assertThat(refundedAtOnce(bucket(60, 10), 4, bucket(120, 60))).isEqualTo(56);
		assertThat(refundedAtOnce(bucket(60, 60), 40, bucket(60, 10))).isZero();
	}

	@Test
	void aBucketInDebtRefundsUnderTheSameLimits() {
		Algorithm before = Algorithm.of(bucket(60, 10), Tick.NANOSECOND, true);
		Algorithm after = Algorithm.of(bucket(60, 10), Tick.NANOSECOND, true);
		Change change = new Change(before, NOW, 4);
		long now = NOW + SECOND;
		before.charge(change.state, 0, now, 100);
		long[] state = change.to(after, now);
		assertThat(look(after, state, now).resetAfterNanos()).isEqualTo(20 * SECOND);
		change.refund(after, state, now);
		assertThat(look(after, state, now).resetAfterNanos()).isEqualTo(17 * SECOND);
	}

	private static RateLimit bucket(long limit, long burst) {
		return RateLimit.builder(TOKEN_BUCKET).limit(limit).window(MINUTE).burst(burst).build();
	}

	private static Algorithm of(RateLimit... limits) {
		return Algorithm.of(RateLimitPolicy.of("policy", limits), Tick.NANOSECOND);
	}

	private static long remaining(KeyState key, long now) {
		return key.decide(now, 0).remaining();
	}

	private static long[] taken(Algorithm algorithm, long[] state, long now, long permits) {
		long[] larger = algorithm.enlarged(state, now, permits);
		algorithm.take(larger, 0, now, permits);
		return larger;
	}

	private static RateLimitDecision look(Algorithm algorithm, long[] state, long now) {
		return algorithm.decision(state, 0, now, 0, true, null);
	}

	/**
	 * A request that is given permits, and gives them back under other limits.
	 */
	private static final class Change {

		private final Algorithm before;

		private final long permits;

		private final RateLimitReceipt given;

		private long[] state;

		Change(Algorithm before, long now, long permits) {
			this(before, before.create(now), now, permits);
		}

		Change(Algorithm before, long[] state, long now, long permits) {
			this.before = before;
			this.permits = permits;
			this.state = taken(before, state, now, permits);
			this.given = RateLimitReceipt.of(before.decision(this.state, 0, now, permits, true, null));
		}

		long[] to(Algorithm after, long now) {
			return after.create(now, this.before, this.state);
		}

		void refund(Algorithm after, long[] state, long now) {
			after.refund(state, 0, now, this.permits, after.receipt(this.before, this.given), 0);
		}

	}

}
