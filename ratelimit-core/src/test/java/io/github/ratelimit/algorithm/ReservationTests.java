package io.github.ratelimit.algorithm;

import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is reserved for later: by example, at the edges of the numbers, and under limits
 * that change.
 */
class ReservationTests {

	private static final long SECOND = 1_000_000_000L;

	private static final long LARGEST_LOG = 10_000;

	/* Of a window of a second. */
	private static final long NOW = 1_772_668_800L * SECOND;

	private static final List<RateLimitAlgorithm> ALL = List.of(RateLimitAlgorithm.TOKEN_BUCKET,
			RateLimitAlgorithm.FIXED_WINDOW_COUNTER, RateLimitAlgorithm.SLIDING_WINDOW_LOG,
			RateLimitAlgorithm.SLIDING_WINDOW_COUNTER);

	private static Algorithm bucket(long limit, Duration maxWait) {
		return reserving(RateLimitAlgorithm.TOKEN_BUCKET, limit, maxWait);
	}

	private static Algorithm windows(long limit, Duration maxWait) {
		return reserving(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, limit, maxWait);
	}

	private static Algorithm log(long limit, Duration maxWait) {
		return reserving(RateLimitAlgorithm.SLIDING_WINDOW_LOG, limit, maxWait);
	}

	private static Algorithm sliding(long limit, Duration maxWait) {
		return reserving(RateLimitAlgorithm.SLIDING_WINDOW_COUNTER, limit, maxWait);
	}

	private static Algorithm reserving(RateLimitAlgorithm algorithm, long limit, Duration maxWait) {
		return Algorithm.reserving(RateLimit.of(algorithm, limit, Duration.ofSeconds(1)), Tick.NANOSECOND, maxWait);
	}

	private static List<Long> delays(KeyState key, long now, long... permits) {
		return LongStream.of(permits).mapToObj((each) -> delay(key.decide(now, each))).toList();
	}

	/* In milliseconds, or -1 of a rejection. */
	private static long delay(RateLimitDecision decision) {
		return decision.allowed() ? decision.delayNanos() / 1_000_000 : -1;
	}

	@Test
	void tokensAreReservedInTheOrderOfTheRequestsAsTheyArrive() {
		KeyState key = new KeyState(bucket(4, Duration.ofMillis(600)), NOW);
		assertThat(delays(key, NOW, 3, 1, 1, 1, 1)).containsExactly(0L, 0L, 250L, 500L, -1L);
		RateLimitDecision rejected = key.decide(NOW, 1);
		assertThat(rejected.retryAfterNanos()).isEqualTo(150_000_000);
		assertThat(rejected.remaining()).isZero();
		assertThat(delays(key, NOW + 149_999_999, 1)).containsExactly(-1L);
		assertThat(delays(key, NOW + 150_000_000, 1)).containsExactly(600L);
	}

	@Test
	void nobodyOvertakesARequestOfMorePermits() {
		KeyState bucket = new KeyState(bucket(4, Duration.ofSeconds(5)), NOW);
		assertThat(delays(bucket, NOW, 2, 4, 1)).containsExactly(0L, 500L, 750L);
		KeyState windows = new KeyState(windows(4, Duration.ofSeconds(5)), NOW);
		assertThat(delays(windows, NOW, 3, 2, 1, 2, 1)).containsExactly(0L, 1000L, 1000L, 2000L, 2000L);
		KeyState log = new KeyState(log(4, Duration.ofSeconds(5)), NOW);
		assertThat(delays(log, NOW, 3, 2, 1, 1, 1)).containsExactly(0L, 1000L, 1000L, 1000L, 2000L);
		KeyState sliding = new KeyState(sliding(4, Duration.ofSeconds(5)), NOW);
		assertThat(delays(sliding, NOW, 3, 2, 1, 1)).containsExactly(0L, 1000L, 1333L, 1666L);
	}

	@Test
	void windowsAreFilledOneAfterTheOtherUpToTheLongestWait() {
		KeyState key = new KeyState(windows(2, Duration.ofMillis(1700)), NOW + 300_000_000);
		assertThat(delays(key, NOW + 300_000_000, 1, 1, 1, 1, 1, 1, 1)).containsExactly(0L, 0L, 700L, 700L, 1700L,
				1700L, -1L);
		RateLimitDecision rejected = key.decide(NOW + 300_000_000, 1);
		assertThat(rejected.retryAfterNanos()).isEqualTo(1_000_000_000);
		assertThat(rejected.resetAfterNanos()).isEqualTo(2_700_000_000L);
		assertThat(key.decide(NOW + SECOND, 0).remaining()).isZero();
		assertThat(key.decide(NOW + 3 * SECOND, 0).remaining()).isEqualTo(2);
		assertThat(key.isIdle(NOW + 3 * SECOND - 1)).isFalse();
		assertThat(key.isIdle(NOW + 3 * SECOND)).isTrue();
	}

	@Test
	void whoeverFindsALogFullWaitsUntilTheStampsInItsWayExpire() {
		KeyState key = new KeyState(log(2, Duration.ofMillis(1500)), NOW);
		long later = NOW + 300_000_000;
		assertThat(delays(key, NOW, 1)).containsExactly(0L);
		assertThat(delays(key, later, 1, 1, 1, 1)).containsExactly(0L, 700L, 1000L, -1L);
		RateLimitDecision rejected = key.decide(later, 1);
		assertThat(rejected.retryAfterNanos()).isEqualTo(200_000_000);
		assertThat(rejected.resetAfterNanos()).isEqualTo(2_000_000_000L);
		assertThat(delays(key, later + 199_999_999, 1)).containsExactly(-1L);
		assertThat(delays(key, later + 200_000_000, 1)).containsExactly(1500L);
		assertThat(key.decide(NOW + 2 * SECOND - 1, 0).remaining()).isZero();
		assertThat(key.isIdle(NOW + 3 * SECOND - 1)).isFalse();
		assertThat(key.isIdle(NOW + 3 * SECOND)).isTrue();
	}

	@Test
	void whoeverFindsTheEstimateFullWaitsUntilTheShareOfTheWindowBeforeHasFallen() {
		KeyState key = new KeyState(sliding(4, Duration.ofMillis(1800)), NOW);
		assertThat(delays(key, NOW, 4, 1, 1, 1, 1, 1)).containsExactly(0L, 1000L, 1250L, 1500L, 1750L, -1L);
		RateLimitDecision rejected = key.decide(NOW, 1);
		assertThat(rejected.remaining()).isZero();
		assertThat(rejected.retryAfterNanos()).isEqualTo(200_000_001);
		assertThat(delays(key, NOW + 200_000_000, 1)).containsExactly(-1L);
		assertThat(delays(key, NOW + 200_000_001, 1)).containsExactly(1800L);
		assertThat(key.decide(NOW + SECOND + 750_000_000, 0).remaining()).isZero();
		assertThat(key.isIdle(NOW + 2 * SECOND)).isFalse();
		assertThat(key.isIdle(NOW + 4 * SECOND)).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void moreThanTheCapacityNeverPasses(Tick resolution) {
		for (RateLimitAlgorithm algorithm : ALL) {
			Algorithm reserving = Algorithm.reserving(RateLimit.of(algorithm, 4, Duration.ofSeconds(1)), resolution,
					Duration.ofSeconds(10));
			RateLimitDecision decision = new KeyState(reserving, 0).decide(0, 5);
			assertThat(decision.allowed()).isFalse();
			assertThat(decision.retryAfterNanos()).isEqualTo(RateLimitDecision.NEVER);
		}
	}

	/*
	 * The largest limits of the shortest and the longest window, and the longest waits.
	 */
	@ParameterizedTest
	@CsvSource({ "PT0.001S, 1000, PT0.06S", "PT1S, 1000000, PT1M", "PT1H, 3600000000, PT1H",
			"PT744H, 2678400000000, PT1H", "PT744H, 1, PT1H" })
	void theLargestNumbersFit(Duration window, long limit, Duration maxWait) {
		for (Tick resolution : Tick.values()) {
			for (RateLimitAlgorithm algorithm : ALL) {
				if (algorithm == RateLimitAlgorithm.SLIDING_WINDOW_LOG && limit > LARGEST_LOG) {
					continue;
				}
				Algorithm reserving = Algorithm.reserving(RateLimit.of(algorithm, limit, window), resolution, maxWait);
				for (long now : new long[] { 0, resolution.ticks(Duration.ofDays(100_000)) }) {
					KeyState key = new KeyState(reserving, now);
					RateLimitDecision last = key.decide(now, limit);
					assertThat(last.allowed()).isTrue();
					int reserved = 0;
					while (last.allowed()) {
						reserved++;
						last = key.decide(now, limit);
						assertThat(last.delayNanos()).isBetween(0L, maxWait.toNanos());
					}
					assertThat(reserved).isBetween(1, 62);
					long retry = last.retryAfterNanos() / resolution.nanosPerTick();
					assertThat(key.decide(now + retry - 1, limit).allowed()).isFalse();
					assertThat(key.decide(now + retry, limit).allowed()).isTrue();
				}
			}
		}
	}

	@Test
	void onlyTheLastOfAQueueGivesItsTokensBack() {
		KeyState key = new KeyState(bucket(1, Duration.ofSeconds(5)), NOW);
		RateLimitDecision first = key.decide(NOW, 1);
		RateLimitDecision second = key.decide(NOW, 1);
		key.refund(NOW, 1, first);
		assertThat(delays(key, NOW, 1)).containsExactly(2000L);
		KeyState other = new KeyState(bucket(1, Duration.ofSeconds(5)), NOW);
		other.decide(NOW, 1);
		RateLimitDecision last = other.decide(NOW, 1);
		other.refund(NOW, 1, last);
		assertThat(delays(other, NOW, 1)).containsExactly(1000L);
		assertThat(second.delayNanos()).isEqualTo(SECOND);
	}

	@Test
	void onlyWhoIsOfTheLastWindowGivesItsPermitsBack() {
		KeyState key = new KeyState(windows(2, Duration.ofSeconds(5)), NOW);
		RateLimitDecision first = key.decide(NOW, 2);
		RateLimitDecision second = key.decide(NOW, 1);
		key.decide(NOW, 1);
		key.refund(NOW, 2, first);
		assertThat(delays(key, NOW, 1)).containsExactly(2000L);
		key.refund(NOW, 1, second);
		assertThat(delays(key, NOW, 1)).containsExactly(2000L);

		KeyState shared = new KeyState(windows(2, Duration.ofSeconds(5)), NOW);
		shared.decide(NOW, 2);
		RateLimitDecision one = shared.decide(NOW, 1);
		shared.decide(NOW, 1);
		shared.refund(NOW, 1, one);
		assertThat(delays(shared, NOW, 1, 1)).containsExactly(1000L, 2000L);
	}

	@Test
	void whatIsReservedHoldsUnderAnotherLimitOrWaitOfTheSameWindows() {
		KeyState key = new KeyState(windows(2, Duration.ofSeconds(5)), NOW);
		assertThat(delays(key, NOW, 2, 2, 1)).containsExactly(0L, 1000L, 2000L);
		KeyState shorter = key.under(windows(2, Duration.ofSeconds(1)), NOW + SECOND);
		assertThat(shorter.decide(NOW + SECOND, 0).remaining()).isZero();
		assertThat(delays(shorter, NOW + SECOND, 1, 1)).containsExactly(1000L, -1L);
		KeyState plain = key
			.under(Algorithm.of(RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 2, Duration.ofSeconds(1)),
					Tick.NANOSECOND, false), NOW);
		assertThat(plain.decide(NOW, 0).remaining()).isZero();
		assertThat(plain.decide(NOW + SECOND, 0).remaining()).isEqualTo(2);
	}

	@Test
	void aRejectionUnderALowerLimitReservesNothingOfTheWindowsThatFollow() {
		KeyState key = new KeyState(windows(24, Duration.ofSeconds(1)), NOW);
		assertThat(delays(key, NOW, 24, 8)).containsExactly(0L, 1000L);
		KeyState lower = key.under(windows(6, Duration.ofSeconds(1)), NOW + SECOND);
		assertThat(delays(lower, NOW + SECOND, 4)).containsExactly(-1L);
		KeyState again = lower.under(windows(24, Duration.ofSeconds(1)), NOW + SECOND);
		assertThat(again.decide(NOW + SECOND, 0).remaining()).isEqualTo(16);
		assertThat(delays(again, NOW + SECOND, 16)).containsExactly(0L);
	}

	@Test
	void whoeverWaitsForALogGivesItsPermitsBackAndTheOthersKeepTheirs() {
		KeyState key = new KeyState(log(1, Duration.ofSeconds(5)), NOW);
		key.decide(NOW, 1);
		RateLimitDecision second = key.decide(NOW, 1);
		RateLimitDecision third = key.decide(NOW, 1);
		key.refund(NOW, 1, second);
		assertThat(delays(key, NOW, 1)).containsExactly(3000L);
		key.refund(NOW, 1, third);
		assertThat(delays(key, NOW, 1)).containsExactly(4000L);
	}

	@Test
	void allWhoWaitForALogGiveTheirPermitsBackAndThoseBeforeThemStillCount() {
		KeyState key = new KeyState(log(2, Duration.ofSeconds(5)), NOW);
		key.decide(NOW, 2);
		List<RateLimitDecision> waiting = LongStream.rangeClosed(1, 6).mapToObj((each) -> key.decide(NOW, 1)).toList();
		waiting.forEach((each) -> key.refund(NOW + 1, 1, each));
		assertThat(delays(key, NOW + 1_000_000, 1, 1, 1)).containsExactly(999L, 999L, 1999L);
	}

	@Test
	void onlyTheLastWhoWaitsForAnEstimateGivesItsPermitsBack() {
		KeyState key = new KeyState(sliding(4, Duration.ofSeconds(5)), NOW);
		key.decide(NOW, 4);
		RateLimitDecision first = key.decide(NOW, 1);
		RateLimitDecision last = key.decide(NOW, 1);
		key.refund(NOW, 1, first);
		assertThat(delays(key, NOW, 0, 1)).containsExactly(0L, 1500L);
		key.refund(NOW, 1, last);
		assertThat(delays(key, NOW, 1)).containsExactly(1750L);

		KeyState other = new KeyState(sliding(4, Duration.ofSeconds(5)), NOW);
		other.decide(NOW, 4);
		other.refund(NOW, 1, other.decide(NOW, 1));
		assertThat(delays(other, NOW, 1, 1)).containsExactly(1000L, 1250L);
	}

	@ParameterizedTest
	@EnumSource(names = { "SLIDING_WINDOW_LOG", "SLIDING_WINDOW_COUNTER" })
	void whatIsReservedOfASlidingWindowHoldsUnderAnotherWaitAndWithoutOne(RateLimitAlgorithm algorithm) {
		KeyState key = new KeyState(reserving(algorithm, 1, Duration.ofSeconds(5)), NOW);
		key.decide(NOW, 1);
		RateLimitDecision second = key.decide(NOW, 1);
		assertThat(second.delayNanos()).isGreaterThanOrEqualTo(SECOND);
		long passes = NOW + second.delayNanos();
		KeyState shorter = key.under(reserving(algorithm, 1, Duration.ofSeconds(1)), NOW);
		assertThat(delays(shorter, NOW, 1)).containsExactly(-1L);
		KeyState plain = key.under(
				Algorithm.of(RateLimit.of(algorithm, 1, Duration.ofSeconds(1)), Tick.NANOSECOND, false), NOW + SECOND);
		assertThat(delays(plain, NOW + SECOND, 1)).containsExactly(-1L);
		assertThat(delays(plain, passes + SECOND - 1, 1)).containsExactly(-1L);
		assertThat(delays(plain, passes + 2 * SECOND, 1)).containsExactly(0L);
	}

	/*
	 * The word of a limit of so many digits has the number of a window for 31 windows.
	 */
	@Test
	void whatIsReservedFarAheadFitsTheWordOfACounterWithoutReservations() {
		RateLimit limit = RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_COUNTER, (1 << 29) - 1,
				Duration.ofMinutes(10));
		Algorithm plain = Algorithm.of(limit, Tick.NANOSECOND, false);
		assertThat(plain).isInstanceOf(WordAlgorithm.class);
		KeyState key = new KeyState(plain, NOW).under(Algorithm.reserving(limit, Tick.NANOSECOND, Duration.ofHours(1)),
				NOW);
		long now = NOW + 27 * 600 * SECOND;
		for (int i = 0; i < 6; i++) {
			assertThat(key.decide(now, limit.limit()).allowed()).isTrue();
		}
		RateLimitDecision look = key.under(plain, now).decide(now, 0);
		assertThat(look.remaining()).isZero();
		assertThat(look.resetAfterNanos()).isEqualTo(key.decide(now, 0).resetAfterNanos());
	}

	/*
	 * Whoever gives its permits back does not go, whether it gets them back or not.
	 */
	@ParameterizedTest
	@EnumSource(names = { "SLIDING_WINDOW_LOG", "SLIDING_WINDOW_COUNTER" })
	void asManyGoAsTheLimitAllowsAndInTheirOrderWhoeverGivesItsPermitsBack(RateLimitAlgorithm algorithm) {
		RandomCases.check(500, (random) -> {
			Tick tick = Tick.values()[random.nextInt(2)];
			RateLimitPolicy policy = waitingPolicy(random, algorithm, tick);
			RateLimit limit = policy.limits().get(0);
			long window = tick.ticks(limit.window());
			KeyState key = new KeyState(Algorithm.of(policy, tick), 0);
			List<Going> going = new ArrayList<>();
			RateLimitDecision last = key.decide(0, 0);
			long now = 0;

			for (int step = 0; step < 60; step++) {
				now += RandomLimits.pause(random, last, limit) / tick.nanosPerTick() / (1 + random.nextInt(3));
				long permits = Math.max(1, RandomLimits.permits(random, last, limit.limit()));
				last = key.decide(now, permits);
				if (last.allowed()) {
					Going added = new Going(now + last.delayNanos() / tick.nanosPerTick(), permits, last);
					going.forEach(
							(each) -> assertThat(added.moment).as("%s", policy).isGreaterThanOrEqualTo(each.moment));
					going.add(added);
				}
				while (!going.isEmpty() && random.nextInt(4) == 0) {
					Going gone = going.remove(going.size() - 1 - random.nextInt(Math.min(4, going.size())));
					key.refund(now, gone.permits, gone.decision);
				}
			}

			for (int i = 0; i < going.size(); i++) {
				assertThat(held(algorithm, going.subList(0, i + 1), window)).as("%s", policy)
					.isLessThanOrEqualTo(limit.limit());
			}
		});
	}

	private static RateLimitPolicy waitingPolicy(Random random, RateLimitAlgorithm algorithm, Tick tick) {
		while (true) {
			RateLimitPolicy policy = RandomLimits.waitingPolicy(random, tick.nanosPerTick(), tick.bits());
			if (policy.limits().get(0).algorithm() == algorithm) {
				return policy;
			}
		}
	}

	/* What the algorithm sees when the last one goes. */
	private static long held(RateLimitAlgorithm algorithm, List<Going> going, long window) {
		long moment = going.get(going.size() - 1).moment;
		if (algorithm == RateLimitAlgorithm.SLIDING_WINDOW_LOG) {
			return going.stream()
				.filter((each) -> each.moment > moment - window)
				.mapToLong((each) -> each.permits)
				.sum();
		}
		BigInteger share = BigInteger.valueOf(counted(going, moment / window - 1, window))
			.multiply(BigInteger.valueOf(window - moment % window))
			.divide(BigInteger.valueOf(window));
		return counted(going, moment / window, window) + share.longValueExact();
	}

	private static long counted(List<Going> going, long number, long window) {
		return going.stream().filter((each) -> each.moment / window == number).mapToLong((each) -> each.permits).sum();
	}

	/**
	 * A request that goes, unless it gives its permits back.
	 *
	 * @param moment when it goes
	 * @param permits what it has
	 * @param decision the decision
	 */
	private record Going(long moment, long permits, RateLimitDecision decision) {
	}

	@Test
	void whatIsReservedOfABucketHoldsUnderAnotherWait() {
		KeyState key = new KeyState(bucket(1, Duration.ofSeconds(5)), NOW);
		assertThat(delays(key, NOW, 1, 1, 1)).containsExactly(0L, 1000L, 2000L);
		KeyState shorter = key.under(bucket(1, Duration.ofSeconds(1)), NOW);
		assertThat(delays(shorter, NOW, 1)).containsExactly(-1L);
		assertThat(delays(shorter, NOW + SECOND, 1)).containsExactly(1000L);
	}

}
