package io.github.ratelimit.simulation;

import java.time.Duration;
import java.util.Arrays;
import java.util.function.LongPredicate;

import io.github.ratelimit.RateLimit;

/**
 * What became of each request under one limit.
 *
 * @param limit the limit
 * @param delays how many milliseconds each request waits, rounded up; 0 for a request
 * that passes at once, {@link #REJECTED} for one that is rejected
 * @param longestDelay the longest that a request waits, or zero if none waits
 * @since 0.1.0
 */
public record SimulatedLimit(RateLimit limit, long[] delays, Duration longestDelay) {

	/** Stands for the delay of a request that is rejected. */
	public static final long REJECTED = -1;

	/**
	 * How many requests pass at once.
	 * @return the number
	 */
	public long allowed() {
		return count((delay) -> delay == 0);
	}

	/**
	 * How many requests wait and pass.
	 * @return the number
	 */
	public long delayed() {
		return count((delay) -> delay > 0);
	}

	/**
	 * How many requests are rejected.
	 * @return the number
	 */
	public long rejected() {
		return count((delay) -> delay == REJECTED);
	}

	private long count(LongPredicate delays) {
		return Arrays.stream(this.delays).filter(delays).count();
	}

}
