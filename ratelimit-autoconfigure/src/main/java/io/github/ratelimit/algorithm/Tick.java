package io.github.ratelimit.algorithm;

import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;

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

	/**
	 * Converts a number of parts to a number of other parts of the same, rounded up: in
	 * doubles exactly as a script does, which may be a part more.
	 * @param number how many parts
	 * @param from how many of them are one
	 * @param to how many of the others are one
	 * @return how many of the others, at most the largest number
	 */
	long scaled(long number, long from, long to) {
		if (this == MICROSECOND) {
			double whole = Math.floor((double) number / from);
			return (long) (whole * to + Math.ceil((number - whole * from) * to / from));
		}
		BigInteger[] whole = BigInteger.valueOf(number)
			.multiply(BigInteger.valueOf(to))
			.divideAndRemainder(BigInteger.valueOf(from));
		BigInteger up = whole[0].add(BigInteger.valueOf(whole[1].signum()));
		return up.min(BigInteger.valueOf(Long.MAX_VALUE)).longValueExact();
	}

	long ticks(Duration duration) {
		return duration.toNanos() / this.nanosPerTick;
	}

	/**
	 * The ticks from the epoch to a moment.
	 */
	long ticks(Instant moment) {
		return ticks(Duration.between(Instant.EPOCH, moment));
	}

	Instant instant(long ticks) {
		return Instant.EPOCH.plusNanos(ticks * this.nanosPerTick);
	}

}
