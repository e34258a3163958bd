package io.github.ratelimit.benchmarks.redis;

import java.time.Duration;

import io.github.ratelimit.benchmarks.measure.Mode;

/**
 * How long to measure.
 *
 * @param warmUps how often it is each contender's turn before anything counts
 * @param rounds how often it then is
 * @param leadIn how long a turn is not yet measured
 * @param measured how long it is
 */
record Schedule(int warmUps, int rounds, Duration leadIn, Duration measured) {

	static Schedule of(Mode mode) {
		return switch (mode) {
			case SMOKE -> new Schedule(0, 1, Duration.ofMillis(1), Duration.ofMillis(20));
			case QUICK -> new Schedule(1, 6, Duration.ofMillis(100), Duration.ofMillis(500));
			case FULL -> new Schedule(1, 7, Duration.ofMillis(200), Duration.ofMillis(2000));
		};
	}

	/**
	 * Turns that are long enough to forget a rejection and ask for it again.
	 */
	static Schedule ofForgetting(Mode mode) {
		return switch (mode) {
			case SMOKE -> new Schedule(0, 1, Duration.ZERO, Duration.ofMillis(20));
			case QUICK -> new Schedule(0, 2, Duration.ZERO, Duration.ofSeconds(5));
			case FULL -> new Schedule(0, 3, Duration.ZERO, Duration.ofSeconds(10));
		};
	}

}
