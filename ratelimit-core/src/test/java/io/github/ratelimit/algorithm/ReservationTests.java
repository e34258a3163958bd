package io.github.ratelimit.algorithm;

import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
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

	/* Of a window of a second. */
	private static final long NOW = 1_772_668_800L * SECOND;

	private static WordAlgorithm bucket(long limit, Duration maxWait) {
		return Algorithm.reserving(RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, limit, Duration.ofSeconds(1)),
				Tick.NANOSECOND, maxWait);
	}

	private static WordAlgorithm windows(long limit, Duration maxWait) {
		return Algorithm.reserving(RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, limit, Duration.ofSeconds(1)),
				Tick.NANOSECOND, maxWait);
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

	@ParameterizedTest
	@EnumSource
	void moreThanTheCapacityNeverPasses(Tick resolution) {
		for (RateLimitAlgorithm algorithm : List.of(RateLimitAlgorithm.TOKEN_BUCKET,
				RateLimitAlgorithm.FIXED_WINDOW_COUNTER)) {
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
			for (RateLimitAlgorithm algorithm : List.of(RateLimitAlgorithm.TOKEN_BUCKET,
					RateLimitAlgorithm.FIXED_WINDOW_COUNTER)) {
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
	void whatIsReservedOfABucketHoldsUnderAnotherWait() {
		KeyState key = new KeyState(bucket(1, Duration.ofSeconds(5)), NOW);
		assertThat(delays(key, NOW, 1, 1, 1)).containsExactly(0L, 1000L, 2000L);
		KeyState shorter = key.under(bucket(1, Duration.ofSeconds(1)), NOW);
		assertThat(delays(shorter, NOW, 1)).containsExactly(-1L);
		assertThat(delays(shorter, NOW + SECOND, 1)).containsExactly(1000L);
	}

}
