package io.github.ratelimit.algorithm;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link Tick#scaled}.
 */
class TickTests {

	@ParameterizedTest
	@EnumSource
	void aPartOfAPartCountsAsOne(Tick tick) {
		assertThat(tick.scaled(0, 3, 7)).isZero();
		assertThat(tick.scaled(9, 3, 7)).isEqualTo(21);
		assertThat(tick.scaled(10, 3, 7)).isEqualTo(24);
		assertThat(tick.scaled(11, 3, 7)).isEqualTo(26);
	}

	@Test
	void inThisProcessLargeNumbersAreExactUpToTheLargest() {
		assertThat(Tick.NANOSECOND.scaled((1L << 60) + 1, 3, 3)).isEqualTo((1L << 60) + 1);
		assertThat(Tick.NANOSECOND.scaled(1L << 60, 1, 100)).isEqualTo(Long.MAX_VALUE);
	}

	@Test
	void inAScriptLargeNumbersAreDoubles() {
		assertThat(Tick.MICROSECOND.scaled((1L << 60) + 1, 1, 1)).isEqualTo(1L << 60);
	}

}
