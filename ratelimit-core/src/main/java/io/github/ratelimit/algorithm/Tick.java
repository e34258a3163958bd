package io.github.ratelimit.algorithm;

import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.CombinedDecision;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.store.RateLimitReceipt;
import org.jspecify.annotations.Nullable;

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

	/*
	 * Loads a class that only policies of several limits use: the JIT compiler inlines no
	 * method that has a parameter of a class that is not loaded.
	 */
	static final Class<?> LOADED = CombinedDecision.class;

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
	public long ticks(Instant moment) {
		return ticks(Duration.between(Instant.EPOCH, moment));
	}

	/**
	 * The tick in which a limit has given permits.
	 */
	long takenAt(RateLimitReceipt given, int limit) {
		return given.decidedAtNanos(limit) / this.nanosPerTick;
	}

	/**
	 * The tick from which a request may go that a limit has given permits: when it gave
	 * them, or when the request has waited for them.
	 */
	long passesAt(RateLimitReceipt given, int limit) {
		return (given.decidedAtNanos(limit) + given.delayNanos(limit)) / this.nanosPerTick;
	}

	/**
	 * The ticks that a limit needed, when it has given permits, to be fully reset.
	 */
	long resetAfter(RateLimitReceipt given, int limit) {
		return given.resetAfterNanos(limit) / this.nanosPerTick;
	}

	/**
	 * Creates the decision of a limit, or adds it to a common one.
	 * @param wait an allowed request's delay, or the time until a rejected one would pass
	 */
	RateLimitDecision decision(long now, boolean allowed, long remaining, long wait, long resetAfter,
			long nextPermitAfter, @Nullable CombinedDecision combined) {
		long tick = this.nanosPerTick;
		long waitNanos = (wait != RateLimitDecision.NEVER) ? wait * tick : wait;
		long resetNanos = resetAfter * tick;
		long nextNanos = nextPermitAfter * tick;
		if (combined != null) {
			return combined.add(allowed, remaining, waitNanos, resetNanos, nextNanos);
		}
		if (allowed) {
			return RateLimitDecisions.allowed(now * tick, remaining, waitNanos, resetNanos, nextNanos);
		}
		return RateLimitDecisions.rejected(now * tick, remaining, waitNanos, resetNanos, nextNanos);
	}

	public Instant instant(long ticks) {
		return Instant.EPOCH.plusNanos(ticks * this.nanosPerTick);
	}

}
