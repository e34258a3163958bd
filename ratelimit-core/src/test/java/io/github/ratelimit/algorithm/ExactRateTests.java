package io.github.ratelimit.algorithm;

import java.math.BigInteger;
import java.time.Duration;
import java.util.Random;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link ExactRate}: rates as whole numbers.
 */
class ExactRateTests {

	/*
	 * Where the capacity leaves a thousand units for each permit: always in nanoseconds.
	 */
	@ParameterizedTest
	@EnumSource
	void isTheRateWithinAThousandthAndNeverAbove(Tick resolution) {
		RandomCases.check(20_000, (random) -> {
			RateLimit limit = withAnyBurst(random);
			if (limit.capacity() > (1L << resolution.bits()) / 1000) {
				return;
			}
			ExactRate pace = pace(limit, resolution);
			BigInteger ours = big(pace.scale()).multiply(big(resolution.ticks(limit.window())));
			BigInteger exact = big(pace.cost()).multiply(big(limit.limit()));
			assertThat(ours).as("%s, %s", limit, pace).isLessThanOrEqualTo(exact);
			assertThat(ours.multiply(big(1000))).as("%s, %s", limit, pace)
				.isGreaterThanOrEqualTo(exact.multiply(big(999)));
		});
	}

	@ParameterizedTest
	@EnumSource
	void isExactWhereTheNumbersFit(Tick resolution) {
		RandomCases.check(20_000, (random) -> {
			RateLimit limit = withAnyBurst(random);
			if (RandomLimits.isExact(limit, resolution.nanosPerTick(), resolution.bits())) {
				ExactRate pace = pace(limit, resolution);
				assertThat(big(pace.scale()).multiply(big(resolution.ticks(limit.window()))))
					.isEqualTo(big(pace.cost()).multiply(big(limit.limit())));
			}
		});
	}

	@ParameterizedTest
	@EnumSource
	void unitsOfAFullLevelAndAHorizonFitTheResolution(Tick resolution) {
		RandomCases.check(20_000, (random) -> {
			RateLimit limit = withAnyBurst(random);
			ExactRate pace = pace(limit, resolution);
			BigInteger full = big(pace.cost()).multiply(big(limit.capacity()));
			BigInteger most = big(2).pow(resolution.bits());
			assertThat(full).as("%s, %s", limit, pace).isLessThanOrEqualTo(most.add(big(limit.capacity())));
			assertThat(full.add(big(pace.scale()))).as("%s, %s", limit, pace).isLessThan(big(2).pow(63));
		});
	}

	/*
	 * Bursts up to what takes a year to refill.
	 */
	private static RateLimit withAnyBurst(Random random) {
		RateLimit any = RandomLimits.any(random, RateLimitAlgorithm.TOKEN_BUCKET);
		long most = (long) (365.0 * Duration.ofDays(1).toNanos() / any.window().toNanos() * any.limit());
		long burst = 1 + RandomLimits.upTo(random, most - 1);
		return RateLimit.builder(RateLimitAlgorithm.TOKEN_BUCKET)
			.limit(any.limit())
			.window(any.window())
			.burst(random.nextBoolean() ? burst : most)
			.build();
	}

	private static ExactRate pace(RateLimit limit, Tick resolution) {
		return ExactRate.of(limit.limit(), resolution.ticks(limit.window()), limit.capacity(), 0, resolution);
	}

	private static BigInteger big(long number) {
		return BigInteger.valueOf(number);
	}

}
