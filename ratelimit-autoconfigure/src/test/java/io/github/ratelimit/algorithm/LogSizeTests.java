package io.github.ratelimit.algorithm;

import java.time.Duration;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import org.junit.jupiter.api.Test;

import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * How large a log may become, and how it grows.
 */
class LogSizeTests {

	private static final long HEAVIEST = 131_056;

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final int HEADER = 2;

	@Test
	void aLogOfAlmostOneMebibyteMayBe() {
		LogSize.check(RateLimitPolicy.of("log", limit(SLIDING_WINDOW_LOG, HEAVIEST)));
	}

	@Test
	void aLogThatCouldBecomeHeavierIsAMistakeInItsLimit() {
		RateLimitPolicy policy = RateLimitPolicy.of("log", limit(TOKEN_BUCKET, HEAVIEST + 1),
				limit(SLIDING_WINDOW_LOG, HEAVIEST + 1));
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> LogSize.check(policy))
			.withMessageContaining("131057")
			.satisfies((ex) -> assertThat(ex.attribute()).isEqualTo("limits[1].limit"));
	}

	@Test
	void aLogWithDebtsMayBeHalfAsLarge() {
		LogSize.check(charged(HEAVIEST / 2));
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> LogSize.check(charged(HEAVIEST / 2 + 1)))
			.withMessageContaining("and as many again for debts, because the policy has a charge")
			.satisfies((ex) -> assertThat(ex.action()).contains("a limit of at most 65528."));
		RateLimitPolicy plain = RateLimitPolicy.of("log", limit(SLIDING_WINDOW_LOG, HEAVIEST + 1));
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> LogSize.check(plain))
			.withMessageNotContaining("debts")
			.satisfies((ex) -> assertThat(ex.action()).contains("a limit of at most 131056."));
	}

	private static RateLimitPolicy charged(long limit) {
		return RateLimitPolicy.builder("log").charge("status == 401").limit(limit(SLIDING_WINDOW_LOG, limit)).build();
	}

	@Test
	void anyOtherAlgorithmMayCountMore() {
		LogSize.check(RateLimitPolicy.of("log", limit(TOKEN_BUCKET, HEAVIEST + 1),
				limit(SLIDING_WINDOW_COUNTER, HEAVIEST + 1)));
	}

	private static RateLimit limit(RateLimitAlgorithm algorithm, long limit) {
		return RateLimit.of(algorithm, limit, Duration.ofMinutes(1));
	}

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
		return RateLimit.of(SLIDING_WINDOW_LOG, limit, MINUTE);
	}

}
