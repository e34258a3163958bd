package io.github.ratelimit;

import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The ranges of a limit's numbers, and which algorithm uses which.
 */
final class RateLimitNumbers {

	private static final Duration SHORTEST_WINDOW = Duration.ofMillis(1);

	private static final Duration LONGEST_WINDOW = Duration.ofDays(31);

	private static final double LONGEST_REFILL_DAYS = 366;

	private RateLimitNumbers() {
	}

	static void check(RateLimitAlgorithm algorithm, long limit, Duration window, @Nullable CalendarWindow calendar,
			long burst, long delay, boolean nodelay, boolean countRejected) {
		if (calendar == null) {
			checkWindow(window);
		}
		else {
			checkUse(algorithm, "zone", calendar.zone());
		}
		checkLimit(limit, window);
		checkUse(algorithm, "nodelay", nodelay ? true : null);
		checkUse(algorithm, "count-rejected", countRejected ? true : null);
		checkUse(algorithm, "burst", (burst != 0) ? burst : null);
		checkUse(algorithm, "delay", (delay != 0) ? delay : null);
		if (algorithm.uses("burst")) {
			checkBurst(algorithm, limit, window, burst);
		}
		if (delay < 0 || delay > burst) {
			throw new InvalidRateLimitException("delay", delay, "is out of range",
					"Use the number of requests that need not wait, from 0 to the burst of " + burst + ((burst == 0)
							? "; or set burst to the number of requests that may be in the queue." : "."));
		}
	}

	/**
	 * Checks what is set, also to the default.
	 */
	static void checkSet(RateLimitAlgorithm algorithm, @Nullable Long burst, @Nullable Long delay, boolean nodelay) {
		checkUse(algorithm, "burst", burst);
		checkUse(algorithm, "delay", delay);
		if (delay != null && nodelay) {
			throw new InvalidRateLimitException("delay", delay, "contradicts nodelay",
					"Use either delay (how many need not wait) or nodelay (none waits).");
		}
	}

	/*
	 * As in nginx, no request waits in a leaky bucket unless a burst is set.
	 */
	static long defaultBurst(RateLimitAlgorithm algorithm, long limit) {
		return (algorithm == RateLimitAlgorithm.TOKEN_BUCKET) ? limit : 0;
	}

	private static void checkWindow(Duration window) {
		if (window.compareTo(SHORTEST_WINDOW) < 0 || window.compareTo(LONGEST_WINDOW) > 0) {
			throw new InvalidRateLimitException("window", window, "is out of range",
					"Use a window from 1ms to 31d, such as 1s, 10m or 1d.");
		}
		if (window.getNano() % 1000 != 0) {
			throw new InvalidRateLimitException("window", window, "is not a whole number of microseconds",
					"Round the window to microseconds.");
		}
	}

	private static void checkLimit(long limit, Duration window) {
		if (limit < 1) {
			throw new InvalidRateLimitException("limit", limit, "is out of range",
					"Use the number of requests that may pass in one window, from 1.");
		}
		long most = window.toNanos() / 1000;
		if (limit > most) {
			throw new InvalidRateLimitException("limit", limit, "is more than a million a second",
					"Use a limit of at most " + most + " for a window of " + DurationText.of(window) + ".");
		}
	}

	private static void checkUse(RateLimitAlgorithm algorithm, String number, @Nullable Object value) {
		if (value != null && !algorithm.uses(number)) {
			String users = Stream.of(RateLimitAlgorithm.values())
				.filter((each) -> each.uses(number))
				.map(RateLimitAlgorithm::id)
				.collect(Collectors.joining(" or "));
			throw new InvalidRateLimitException(number, value, "is not used by the algorithm " + algorithm.id(),
					"Remove " + number + ", or use the algorithm " + users + ".");
		}
	}

	private static void checkBurst(RateLimitAlgorithm algorithm, long limit, Duration window, long burst) {
		long least = (algorithm == RateLimitAlgorithm.TOKEN_BUCKET) ? 1 : 0;
		if (burst < least) {
			throw new InvalidRateLimitException("burst", burst, "is out of range", "Use a burst from " + least + ".");
		}
		double refillDays = (double) burst / limit * window.toNanos() / Duration.ofDays(1).toNanos();
		if (refillDays > LONGEST_REFILL_DAYS) {
			throw new InvalidRateLimitException("burst", burst, "would take more than 366 days to become free again",
					"Use a burst of at most " + (long) (LONGEST_REFILL_DAYS / refillDays * burst) + ".");
		}
	}

}
