package io.github.ratelimit.algorithm;

import java.time.Duration;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.github.ratelimit.RateLimitAlgorithm.LEAKY_BUCKET;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The buckets count from a base, as far as the numbers reach.
 */
class MeteredHorizonTests {

	@ParameterizedTest
	@EnumSource
	void aKeyFilledAtTheLastMomentOfItsBaseBecomesNewAgain(Tick resolution) {
		RateLimit limit = RateLimit.of(TOKEN_BUCKET, 2_678_399_999_999L, Duration.ofDays(31));
		WordAlgorithm algorithm = (WordAlgorithm) Algorithm.of(limit, resolution, false);
		long last = OneKey.lastOf(algorithm, 0);
		OneKey key = new OneKey(algorithm, 0);
		assertThat(key.decide(last, limit.capacity()).allowed()).isTrue();
		assertThat(key.isIdle(last + resolution.ticks(Duration.ofDays(32)))).isTrue();
		assertThat(key.isIdle(last + resolution.ticks(Duration.ofDays(3650)))).isTrue();
	}

	@ParameterizedTest
	@ValueSource(longs = { 0, 1, -1, 1000, -1000 })
	void theHorizonIsCrossedUnnoticed(long off) {
		RandomCases.check(3000, (random) -> {
			RateLimit limit = RandomLimits.any(random, random.nextBoolean() ? TOKEN_BUCKET : LEAKY_BUCKET);
			Tick resolution = Tick.values()[random.nextInt(2)];
			WordAlgorithm algorithm = (WordAlgorithm) Algorithm.of(limit, resolution, false);
			long last = OneKey.lastOf(algorithm, 0);
			if (last + off < 0 || last > Long.MAX_VALUE / 8) {
				return;
			}
			long now = last + off;
			OneKey old = new OneKey(algorithm, 0);
			OneKey young = new OneKey(algorithm, now);
			for (int i = 0; i < 20; i++) {
				long permits = RandomLimits.upTo(random, limit.capacity());
				assertThat(old.decide(now, permits)).hasToString(young.decide(now, permits).toString());
				now += RandomLimits.upTo(random, resolution.ticks(limit.window()));
			}
		});
	}

}
