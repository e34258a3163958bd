package io.github.ratelimit.algorithm;

import java.time.Duration;

/**
 * The tick in which a store counts time, and the whole numbers that it counts exactly.
 *
 * @since 0.1.0
 */
public enum Tick {

	/** A nanosecond in 64-bit integers: this process. */
	NANOSECOND(1, 61),

	/** A microsecond in double-precision numbers: scripts in Redis. */
	MICROSECOND(1000, 52);

	private final long nanosPerTick;

	private final int bits;

	Tick(long nanosPerTick, int bits) {
		this.nanosPerTick = nanosPerTick;
		this.bits = bits;
	}

	long nanosPerTick() {
		return this.nanosPerTick;
	}

	/*
	 * Sums of two numbers of this many bits are still exact.
	 */
	int bits() {
		return this.bits;
	}

	long ticks(Duration duration) {
		return duration.toNanos() / this.nanosPerTick;
	}

}
