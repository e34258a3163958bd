package io.github.ratelimit.algorithm;

import java.time.Duration;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How many words a {@link SlidingWindowLog} has for the permits that it keeps.
 */
class LogGrowthTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final int HEADER = 2;

	@Test
	void growsByHalfUntilThereIsRoomForTheLimit() {
		OneKey key = new OneKey(log(20), Tick.NANOSECOND, 0);
		int[] sizes = { 1, 2, 3, 4, 6, 6, 9, 9, 9, 13, 13, 13, 13, 19, 19, 19, 19, 19, 19, 20 };
		for (int size : sizes) {
			key.decide(0, 1);
			assertThat(size(key)).isEqualTo(HEADER + size);
		}
		assertThat(size(key)).isEqualTo(key.algorithm.largestSize());
		assertThat(key.decide(0, 1).allowed()).isFalse();
	}

	@Test
	void growsToWhatARequestOfManyPermitsNeeds() {
		OneKey key = new OneKey(log(20), Tick.NANOSECOND, 0);
		key.decide(0, 3);
		assertThat(size(key)).isEqualTo(HEADER + 3);
		key.decide(0, 8);
		assertThat(size(key)).isEqualTo(HEADER + 11);
		assertThat(key.algorithm.grows()).isTrue();
	}

	@Test
	void doesNotGrowWhereTheRoomOfExpiredStampsIsEnough() {
		OneKey key = new OneKey(log(20), Tick.NANOSECOND, 0);
		key.decide(0, 3);
		key.decide(1, 1);
		for (long now = MINUTE.toNanos(); now < 10 * MINUTE.toNanos(); now += MINUTE.toNanos()) {
			key.decide(now, 3);
			assertThat(size(key)).isEqualTo(HEADER + 4);
		}
	}

	@Test
	void givingBackTwiceRefundsOnce() {
		OneKey key = new OneKey(log(5), Tick.NANOSECOND, 0);
		key.decide(0, 1);
		RateLimitDecision given = key.decide(7, 1);
		key.refund(8, 1, given);
		key.refund(8, 1, given);
		assertThat(key.look(8).remaining()).isEqualTo(4);
	}

	private static int size(OneKey key) {
		return key.algorithm.size(key.words(), OneKey.AT);
	}

	private static RateLimit log(long limit) {
		return RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_LOG, limit, MINUTE);
	}

}
