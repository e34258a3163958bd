package io.github.ratelimit.algorithm;

import java.time.Duration;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitPolicy;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LogSizeTests {

	private static final long HEAVIEST = 131_056;

	@Test
	void aLogOfAlmostOneMebibyteMayBe() {
		LogSize.check(RateLimitPolicy.of("log", limit(RateLimitAlgorithm.SLIDING_WINDOW_LOG, HEAVIEST)));
	}

	@Test
	void aLogThatCouldBecomeHeavierIsAMistakeInItsLimit() {
		RateLimitPolicy policy = RateLimitPolicy.of("log", limit(RateLimitAlgorithm.TOKEN_BUCKET, HEAVIEST + 1),
				limit(RateLimitAlgorithm.SLIDING_WINDOW_LOG, HEAVIEST + 1));
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
		RateLimitPolicy plain = RateLimitPolicy.of("log", limit(RateLimitAlgorithm.SLIDING_WINDOW_LOG, HEAVIEST + 1));
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> LogSize.check(plain))
			.withMessageNotContaining("debts")
			.satisfies((ex) -> assertThat(ex.action()).contains("a limit of at most 131056."));
	}

	private static RateLimitPolicy charged(long limit) {
		return RateLimitPolicy.builder("log")
			.charge("status == 401")
			.limit(limit(RateLimitAlgorithm.SLIDING_WINDOW_LOG, limit))
			.build();
	}

	@Test
	void anyOtherAlgorithmMayCountMore() {
		LogSize.check(RateLimitPolicy.of("log", limit(RateLimitAlgorithm.TOKEN_BUCKET, HEAVIEST + 1),
				limit(RateLimitAlgorithm.SLIDING_WINDOW_COUNTER, HEAVIEST + 1)));
	}

	private static RateLimit limit(RateLimitAlgorithm algorithm, long limit) {
		return RateLimit.of(algorithm, limit, Duration.ofMinutes(1));
	}

}
