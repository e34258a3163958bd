package io.github.ratelimit.policy;

import java.util.Arrays;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * How many different keys there were, in eight kilobytes.
 */
class DistinctKeysTests {

	private static final double STANDARD_ERROR = 0.031;

	@Test
	void noKeysAreNone() {
		assertThat(new ShadowCounts.DistinctKeys(1).estimate()).isZero();
	}

	@Test
	void aKeyCountsOnceHoweverOftenItCame() {
		ShadowCounts.DistinctKeys keys = new ShadowCounts.DistinctKeys(1);
		for (int i = 0; i < 100_000; i++) {
			keys.add("203.0.113." + i % 10);
		}
		assertThat(keys.estimate()).isEqualTo(10);
	}

	@Test
	void aThousandAreCountedExactly() {
		assertThat(error(1, 1000)).isZero();
	}

	@ParameterizedTest
	@ValueSource(ints = { 1100, 2500, 5000, 20_000, 100_000 })
	void theStandardErrorIsThatOfTheDocumentation(int count) {
		double[] errors = IntStream.range(0, 40).mapToDouble((seed) -> error(seed, count)).toArray();
		double squares = Arrays.stream(errors).map((error) -> error * error).average().orElseThrow();
		assertThat(Math.sqrt(squares)).isLessThan(1.4 * STANDARD_ERROR);
		assertThat(Arrays.stream(errors).average().orElseThrow()).isCloseTo(0,
				within(4 * STANDARD_ERROR / Math.sqrt(errors.length)));
		assertThat(Arrays.stream(errors).map(Math::abs).max().orElseThrow()).isLessThan(5 * STANDARD_ERROR);
	}

	private static double error(long seed, int count) {
		ShadowCounts.DistinctKeys keys = new ShadowCounts.DistinctKeys(seed);
		IntStream.range(0, count).forEach((i) -> keys.add("user-" + i));
		return keys.estimate() / (double) count - 1;
	}

	@Test
	void keysThatStringsHashAlikeAreDifferent() {
		ShadowCounts.DistinctKeys keys = new ShadowCounts.DistinctKeys(1);
		for (int i = 0; i < 1 << 12; i++) {
			StringBuilder key = new StringBuilder();
			for (int bit = 0; bit < 12; bit++) {
				key.append((i >> bit & 1) == 0 ? "Aa" : "BB");
			}
			keys.add(key.toString());
		}
		assertThat(keys.estimate()).isCloseTo(1 << 12, within(Math.round(5 * STANDARD_ERROR * (1 << 12))));
	}

}
