package io.github.ratelimit.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.algorithm.LogWeight;
import io.github.ratelimit.algorithm.Pace;
import io.github.ratelimit.algorithm.Resolution;

/**
 * A policy's limits as the scripts' arguments: a letter for the algorithm, the capacity,
 * and three numbers of the algorithm's own. They are written once, for all decisions.
 */
final class LimitArguments {

	private static final double MOST_RATE_ERROR = 0.001;

	private LimitArguments() {
	}

	/**
	 * Writes the arguments.
	 * @return all arguments of a decision, of which the first is the permits and yet to
	 * be written
	 */
	static byte[][] of(List<RateLimit> limits) {
		byte[][] arguments = new byte[2 + limits.size() * 5][];
		arguments[0] = number(0);
		arguments[1] = number(limits.size());
		int at = 2;
		for (RateLimit limit : limits) {
			arguments[at] = kind(limit.algorithm());
			arguments[at + 1] = number(limit.capacity());
			long[] own = own(limit);
			for (int i = 0; i < own.length; i++) {
				arguments[at + 2 + i] = number(own[i]);
			}
			at += 5;
		}
		return arguments;
	}

	static byte[] number(long number) {
		return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
	}

	private static byte[] kind(RateLimitAlgorithm algorithm) {
		String letter = switch (algorithm) {
			case TOKEN_BUCKET -> "T";
			case LEAKY_BUCKET -> "L";
			case FIXED_WINDOW_COUNTER -> "F";
			case SLIDING_WINDOW_COUNTER -> "C";
			case SLIDING_WINDOW_LOG -> "G";
		};
		return letter.getBytes(StandardCharsets.US_ASCII);
	}

	private static long[] own(RateLimit limit) {
		long window = limit.window().toNanos() / 1000;
		return switch (limit.algorithm()) {
			case TOKEN_BUCKET, LEAKY_BUCKET -> {
				Pace pace = pace(limit, window);
				yield new long[] { pace.scale(), pace.cost(), limit.delay() };
			}
			case FIXED_WINDOW_COUNTER, SLIDING_WINDOW_COUNTER -> new long[] { window, 0, 0 };
			case SLIDING_WINDOW_LOG -> {
				LogWeight.check(limit);
				yield new long[] { window, limit.countRejected() ? 1 : 0, 0 };
			}
		};
	}

	private static Pace pace(RateLimit limit, long window) {
		Pace pace = Pace.of(limit, Resolution.MICROSECOND);
		double rate = (double) pace.scale() / pace.cost();
		double asked = (double) limit.limit() / window;
		if (1 - rate / asked > MOST_RATE_ERROR) {
			throw new InvalidRateLimitException("burst", limit.burst(),
					"is too large to be counted exactly in Redis beside a limit of " + limit.limit() + " per "
							+ limit.window(),
					"Use a smaller burst, or a limit that divides the window's microseconds, such as a round number.");
		}
		return pace;
	}

}
