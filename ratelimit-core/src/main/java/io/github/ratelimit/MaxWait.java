package io.github.ratelimit;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.support.DurationText;

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
		switch (limit.algorithm()) {
			case TOKEN_BUCKET, SLIDING_WINDOW_COUNTER -> {
			}
			case SLIDING_WINDOW_LOG -> require(!limit.countRejected(), maxWait,
					"cannot be used with count-rejected: whoever waits would wait longer for each request that is rejected",
					"Remove max-wait, or count-rejected.");
			case FIXED_WINDOW_COUNTER -> checkWindows(maxWait, limit);
			case LEAKY_BUCKET ->
				require(false, maxWait, "has no effect on a leaky bucket, which has a queue of its own",
						"Remove max-wait, and set burst to how many may wait; or use token-bucket.");
		}
	}

	private static void checkWindows(Duration maxWait, RateLimit limit) {
		require(limit.calendar() == null, maxWait, "cannot be used with windows of a calendar",
				"Remove max-wait, or the zone.");
		Duration longest = limit.window().multipliedBy(MAX_WINDOWS);
		require(maxWait.compareTo(longest) <= 0, maxWait,
				"is longer than " + MAX_WINDOWS + " windows of " + DurationText.of(limit.window()),
				"Use at most " + DurationText.of(longest) + ", or a longer window with a higher limit.");
	}

	private static void require(boolean valid, Duration maxWait, String reason, String action) {
		InvalidRateLimitException.require(valid, ATTRIBUTE, maxWait, reason, action);
	}

}
