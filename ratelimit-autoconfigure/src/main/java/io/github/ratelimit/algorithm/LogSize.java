package io.github.ratelimit.algorithm;

import java.util.List;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;

/**
 * Keeps a single key of the sliding window log below 1 MiB, whichever store holds it.
 *
 * @since 0.1.0
 */
public final class LogSize {

	/* A key has other words, too. */
	private static final long MOST_PERMITS = (1 << 20) / Long.BYTES - 16;

	private LogSize() {
	}

	/**
	 * Checks a policy's limits.
	 * @param limits the limits, of any algorithm
	 * @throws InvalidRateLimitException if one is a log that could become too heavy
	 */
	public static void check(List<RateLimit> limits) {
		for (int i = 0; i < limits.size(); i++) {
			check(limits.get(i), i);
		}
	}

	private static void check(RateLimit limit, int index) {
		if (limit.algorithm() == RateLimitAlgorithm.SLIDING_WINDOW_LOG && limit.limit() > MOST_PERMITS) {
			throw new InvalidRateLimitException("limit", limit.limit(),
					"would make a key of the sliding window log heavier than 1 MiB (8 bytes for each permit)",
					"Use the algorithm sliding-window-counter, which needs constant memory, or a limit of at most "
							+ MOST_PERMITS + ".")
				.inLimit(index);
		}
	}

}
