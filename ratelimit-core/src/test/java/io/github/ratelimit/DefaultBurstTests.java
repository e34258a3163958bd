package io.github.ratelimit;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The default of {@code burst}.
 */
class DefaultBurstTests {

	@Test
	void aTokenBucketHoldsItsLimitAndNobodyWaitsInALeakyBucket() {
		assertThat(RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 7, Duration.ofMinutes(1)).burst()).isEqualTo(7);
		assertThat(RateLimit.of(RateLimitAlgorithm.LEAKY_BUCKET, 10_000, Duration.ofHours(1)))
			.returns(0L, RateLimit::burst)
			.returns(1L, RateLimit::capacity)
			.returns(false, RateLimit::delays);
	}

	@Test
	void whoSaysHowManyNeedNotWaitMustSayHowManyThereMayBe() {
		RateLimit.Builder builder = RateLimit.builder(RateLimitAlgorithm.LEAKY_BUCKET)
			.limit(10)
			.window(Duration.ofSeconds(1))
			.delay(3L);
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(builder::build)
			.satisfies((ex) -> assertThat(ex.attribute()).isEqualTo("delay"))
			.satisfies((ex) -> assertThat(ex.action()).contains("set burst"));
		assertThat(builder.burst(5L).build().delays()).isTrue();
	}

	@ParameterizedTest
	@EnumSource(names = { "TOKEN_BUCKET", "LEAKY_BUCKET" })
	void aBurstIsFreeAgainWithinAYearWhateverItsWindow(RateLimitAlgorithm algorithm) {
		RateLimit.Builder limit = RateLimit.builder(algorithm).limit(1).window(Duration.ofNanos(1_999_000));
		assertThat(limit.burst(15_000_000_000L).build().burst()).isEqualTo(15_000_000_000L);
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> limit.burst(16_000_000_000L).build())
			.satisfies((ex) -> assertThat(ex.reason()).contains("366 days"));
	}

}
