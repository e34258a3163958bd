package io.github.ratelimit;

import java.time.Duration;

/**
 * Limits that let through at once, or after a wait, what they let through in a window:
 * any algorithm in place of any other.
 */
public final class RoomyLimits {

	private RoomyLimits() {
	}

	/**
	 * Creates a limit whose burst, if it has one, is its limit.
	 * @param algorithm how to count
	 * @param limit permits per window
	 * @param window the window
	 * @return the limit
	 */
	public static RateLimit of(RateLimitAlgorithm algorithm, long limit, Duration window) {
		boolean bucket = algorithm == RateLimitAlgorithm.TOKEN_BUCKET || algorithm == RateLimitAlgorithm.LEAKY_BUCKET;
		return RateLimit.builder(algorithm).limit(limit).window(window).burst(bucket ? limit : null).build();
	}

}
