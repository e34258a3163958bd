package io.github.ratelimit.algorithm;

import java.time.Duration;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitPolicy;
import org.junit.jupiter.api.Test;

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
	void aLogThatCouldBecomeHeavierIsAMistakeInItsLimit() {
		LogSize.check(RateLimitPolicy.of("log", log(HEAVIEST)));
		RateLimitPolicy policy = RateLimitPolicy.of("log", RateLimit.of(TOKEN_BUCKET, HEAVIEST + 1, MINUTE),
				log(HEAVIEST + 1));
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> LogSize.check(policy))
			.withMessage("limit = 131057 would make a key of the sliding window log heavier than 1 MiB "
					+ "(8 bytes for each permit)")
			.satisfies((ex) -> assertThat(ex.attribute()).isEqualTo("limits[1].limit"))
			.satisfies((ex) -> assertThat(ex.action()).contains("sliding-window-counter", "at most 131056."));
	}

	@Test
	void aLogWithDebtsMayBeHalfAsLarge() {
		LogSize.check(charged(HEAVIEST / 2));
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> LogSize.check(charged(HEAVIEST / 2 + 1)))
			.withMessageContaining("and as many again for debts, because the policy has a charge")
			.satisfies((ex) -> assertThat(ex.action()).contains("a limit of at most 65528."));
	}

	@Test
	void aLogWhoseRequestsWaitHoldsALimitMoreForEachWindowOfTheWait() {
		LogSize.check(waiting(HEAVIEST / 2, MINUTE));
		LogSize.check(waiting(HEAVIEST / 3, Duration.ofSeconds(61)));
		RateLimitPolicy policy = waiting(HEAVIEST / 3 + 1, Duration.ofSeconds(61));
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> LogSize.check(policy))
			.withMessageContaining("and as many again for each window of its max-wait, which has 2")
			.satisfies((ex) -> assertThat(ex.action()).contains("a limit of at most 43685."));
		assertThat(Algorithm.of(waiting(10, Duration.ofSeconds(61)), Tick.NANOSECOND).largestSize())
			.isEqualTo(HEADER + 30);
	}

	@Test
	void noLimitIsSuggestedIfMaxWaitAloneMakesAKeyTooHeavy() {
		RateLimitPolicy policy = RateLimitPolicy.builder("log")
			.limit(RateLimit.of(SLIDING_WINDOW_LOG, 1, Duration.ofMillis(1)))
			.maxWait(Duration.ofHours(1))
			.build();
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> LogSize.check(policy))
			.satisfies((ex) -> assertThat(ex.action()).endsWith("or a shorter max-wait."));
	}

	private static RateLimitPolicy waiting(long limit, Duration maxWait) {
		return RateLimitPolicy.builder("log").limit(log(limit)).maxWait(maxWait).build();
	}

	private static RateLimitPolicy charged(long limit) {
		return RateLimitPolicy.builder("log").charge("status == 401").limit(log(limit)).build();
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
	void doesNotGrowWhereTheRoomOfExpiredStampsIsEnough() {
		OneKey key = new OneKey(log(20), Tick.NANOSECOND, 0);
		key.decide(0, 3);
		key.decide(1, 1);
		for (long now = MINUTE.toNanos(); now < 10 * MINUTE.toNanos(); now += MINUTE.toNanos()) {
			key.decide(now, 3);
			assertThat(size(key)).isEqualTo(HEADER + 4);
		}
	}

	private static int size(OneKey key) {
		return key.algorithm.size(key.words(), 0);
	}

	private static RateLimit log(long limit) {
		return RateLimit.of(SLIDING_WINDOW_LOG, limit, MINUTE);
	}

}
