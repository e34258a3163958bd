package io.github.ratelimit.simulation;

import java.time.Duration;
import java.util.Arrays;

import io.github.ratelimit.RateLimit;

/**
 * What became of each request under one limit.
 *
 * @since 0.1.0
 */
public final class SimulatedLimit {

	/** Stands for the delay of a request that is rejected. */
	public static final long REJECTED = -1;

	private static final long NANOS_PER_MILLI = 1_000_000;

	private final RateLimit limit;

	private final long[] delays;

	SimulatedLimit(RateLimit limit, long[] delays) {
		this.limit = limit;
		this.delays = delays;
	}

	/**
	 * The limit.
	 * @return the limit
	 */
	public RateLimit limit() {
		return this.limit;
	}

	/**
	 * How long each request waits.
	 * @return milliseconds, rounded up; 0 for a request that passes at once,
	 * {@link #REJECTED} for one that is rejected
	 */
	public long[] delays() {
		return Arrays.stream(this.delays)
			.map((delay) -> (delay > 0) ? (delay + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI : delay)
			.toArray();
	}

	/**
	 * How many requests pass at once.
	 * @return the number
	 */
	public long allowed() {
		return Arrays.stream(this.delays).filter((delay) -> delay == 0).count();
	}

	/**
	 * How many requests wait and pass.
	 * @return the number
	 */
	public long delayed() {
		return Arrays.stream(this.delays).filter((delay) -> delay > 0).count();
	}

	/**
	 * How many requests are rejected.
	 * @return the number
	 */
	public long rejected() {
		return Arrays.stream(this.delays).filter((delay) -> delay == REJECTED).count();
	}

	/**
	 * The longest that a request waits.
	 * @return the time, or zero if none waits
	 */
	public Duration longestDelay() {
		return Duration.ofNanos(Arrays.stream(this.delays).filter((delay) -> delay > 0).max().orElse(0));
	}

}
