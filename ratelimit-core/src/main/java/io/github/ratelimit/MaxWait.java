package io.github.ratelimit;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.support.DurationText;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether requests can wait for permits of limits, which are then reserved for
 * them when it is decided.
 */
final class MaxWait {

	private static final String ATTRIBUTE = "max-wait";

	private static final Duration MIN = Duration.ofMillis(1);

	private static final Duration MAX = Duration.ofHours(1);

	/* What is reserved in later windows is counted with the present one. */
	private static final int MAX_WINDOWS = 60;

	private static final Obstacle COUNTED_REJECTIONS = new Obstacle(
			"cannot be used with count-rejected: whoever waits would wait longer for each request that is rejected",
			"Remove max-wait, or count-rejected.");

	private static final Obstacle CALENDAR = new Obstacle("cannot be used with windows of a calendar",
			"Remove max-wait, or the zone.");

	private static final Obstacle QUEUE = new Obstacle("has no effect on a leaky bucket, which has a queue of its own",
			"Remove max-wait, and set burst to how many may wait; or use token-bucket.");

	private MaxWait() {
	}

	/**
	 * Checks the policy itself.
	 * @throws InvalidRateLimitException if requests cannot wait
	 */
	static void check(Duration maxWait, RateLimitMode mode, boolean charged) {
		if (maxWait.isZero()) {
			return;
		}

		require(maxWait.compareTo(MIN) >= 0 && maxWait.compareTo(MAX) <= 0, maxWait, "is out of range",
				"Use 1ms to 1h, such as 2s, or 0 to let nobody wait.");
		require(maxWait.getNano() % 1000 == 0, maxWait, "is not a whole number of microseconds",
				"Round it to microseconds.");
		require(mode != RateLimitMode.INFORM, maxWait, "has no effect in the mode inform, which rejects nobody",
				"Remove max-wait, or set mode to enforce.");
		require(!charged, maxWait, "cannot be used with a charge: a permit that others wait behind cannot be refunded",
				"Remove max-wait, or the charge.");
	}

	/**
	 * Checks limits that are decided together.
	 * @throws InvalidRateLimitException if requests cannot wait for them
	 */
	static void check(Duration maxWait, List<RateLimit> limits) {
		if (maxWait.isZero() || limits.isEmpty()) {
			return;
		}

		require(limits.size() == 1, maxWait,
				"cannot be used with several limits: what one of them reserves for later would be used when another "
						+ "one has permits",
				"Remove max-wait, or leave one limit in the policy, and apply a policy without max-wait for each other one.");
		check(maxWait, limits.get(0));
	}

	private static void check(Duration maxWait, RateLimit limit) {
		Obstacle obstacle = switch (limit.algorithm()) {
			case TOKEN_BUCKET, SLIDING_WINDOW_COUNTER -> null;
			case SLIDING_WINDOW_LOG -> limit.countRejected() ? COUNTED_REJECTIONS : null;
			case FIXED_WINDOW_COUNTER -> findInWindows(maxWait, limit);
			case LEAKY_BUCKET -> QUEUE;
		};
		if (obstacle != null) {
			throw new InvalidRateLimitException(ATTRIBUTE, maxWait, obstacle.reason(), obstacle.action());
		}
	}

	private static @Nullable Obstacle findInWindows(Duration maxWait, RateLimit limit) {
		if (limit.calendar() != null) {
			return CALENDAR;
		}
		Duration longest = limit.window().multipliedBy(MAX_WINDOWS);
		if (maxWait.compareTo(longest) <= 0) {
			return null;
		}
		return new Obstacle("is longer than " + MAX_WINDOWS + " windows of " + DurationText.of(limit.window()),
				"Use at most " + DurationText.of(longest) + ", or a longer window with a higher limit.");
	}

	private static void require(boolean valid, Duration maxWait, String reason, String action) {
		InvalidRateLimitException.require(valid, ATTRIBUTE, maxWait, reason, action);
	}

	/**
	 * What keeps requests from waiting for a limit, and what to write instead.
	 */
	private record Obstacle(String reason, String action) {
	}

}
