package io.github.ratelimit;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The default of {@code burst}.
 */
class DefaultBurstTests {

	@Test
	void aTokenBucketHoldsItsLimit() {
		assertThat(RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 7, Duration.ofMinutes(1)).burst()).isEqualTo(7);
	}

	@Test
	void nobodyWaitsInALeakyBucket() {
		RateLimit limit = RateLimit.of(RateLimitAlgorithm.LEAKY_BUCKET, 10_000, Duration.ofHours(1));
		assertThat(limit.burst()).isZero();
		assertThat(limit.capacity()).isEqualTo(1);
		assertThat(limit.delays()).isFalse();
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

}
