package io.github.ratelimit;

import java.math.BigInteger;
import java.time.Duration;

import io.github.ratelimit.RateLimitAlgorithm.Setting;
import io.github.ratelimit.support.DurationText;
import org.jspecify.annotations.Nullable;

/**
 * One limit: an algorithm with its numbers.
 * <p>
 * Immutable and valid: an invalid number, or one that its algorithm does not use, is
 * rejected when the limit is built.
 *
 * @param algorithm how requests are counted
 * @param limit the permits per window, at least 1
 * @param window the length of time that the permits are counted over; of a calendar's
 * windows 1, 7, 31 or 366 days
 * @param calendar the calendar whose windows the fixed window counter counts in, or
 * {@code null} if all windows have the same length
 * @param burst the token bucket's capacity, or how many may wait in the leaky bucket; 0
 * for the algorithms that have none
 * @param delay how many of the leaky bucket's burst need not wait; all of them with
 * {@code nodelay}
 * @param nodelay whether no request waits in the leaky bucket
 * @param countRejected whether the sliding window log also keeps the requests that it
 * rejects, so that a client that keeps asking stays rejected
 * @since 0.1.0
 * @see #of(RateLimitAlgorithm, long, Duration)
 * @see #builder(RateLimitAlgorithm)
 */
public record RateLimit(RateLimitAlgorithm algorithm, long limit, Duration window, @Nullable CalendarWindow calendar,
		long burst, long delay, boolean nodelay, boolean countRejected) {

	private static final Duration MIN_WINDOW = Duration.ofMillis(1);

	private static final Duration MAX_WINDOW = Duration.ofDays(31);

	private static final double MAX_REFILL_DAYS = 366;

	/**
	 * Creates a limit from all its numbers.
	 * @throws InvalidRateLimitException if a number is out of its range, or not used by
	 * the algorithm
	 */
	public RateLimit {
		if (calendar != null) {
			window = calendar.longest();
			algorithm.checkUses(Setting.ZONE, calendar.zone());
		}
		if (nodelay) {
			delay = burst;
		}

		checkUses(algorithm, burst, delay, nodelay, countRejected);
		if (calendar == null) {
			checkWindow(window);
		}
		checkLimit(limit, window);
		checkBurst(algorithm, burst, limit, window);
		checkDelay(delay, burst);
	}

	private static void checkUses(RateLimitAlgorithm algorithm, long burst, long delay, boolean nodelay,
			boolean countRejected) {
		if (nodelay) {
			algorithm.checkUses(Setting.NODELAY, true);
		}
		if (countRejected) {
			algorithm.checkUses(Setting.COUNT_REJECTED, true);
		}
		if (burst != 0) {
			algorithm.checkUses(Setting.BURST, burst);
		}
		if (delay != 0) {
			algorithm.checkUses(Setting.DELAY, delay);
		}
	}

	private static void checkWindow(Duration window) {
		require(window.compareTo(MIN_WINDOW) >= 0 && window.compareTo(MAX_WINDOW) <= 0, "window", window,
				"is out of range", "Use a window from 1ms to 31d, such as 1s, 10m or 1d.");
		require(window.getNano() % 1000 == 0, "window", window, "is not a whole number of microseconds",
				"Round the window to microseconds.");
	}

	private static void checkLimit(long limit, Duration window) {
		long max = window.toNanos() / 1000;
		require(limit >= 1, "limit", limit, "is out of range",
				"Use the number of requests that may pass in one window, from 1.");
		require(limit <= max, "limit", limit, "is more than a million a second",
				"Use a limit of at most " + max + " for a window of " + DurationText.of(window) + ".");
	}

	private static void checkBurst(RateLimitAlgorithm algorithm, long burst, long limit, Duration window) {
		require(burst >= algorithm.minBurst(), "burst", burst, "is out of range",
				"Use a burst from " + algorithm.minBurst() + ".");
		double refillDays = (double) burst / limit * window.toNanos() / Duration.ofDays(1).toNanos();
		require(refillDays <= MAX_REFILL_DAYS, "burst", burst, "would take more than 366 days to become free again",
				"Use a burst of at most " + (long) (MAX_REFILL_DAYS / refillDays * burst) + ".");
	}

	private static void checkDelay(long delay, long burst) {
		String end = ".";
		if (burst == 0) {
			end = "; or set burst to the number of requests that may be in the queue.";
		}
		require(delay >= 0 && delay <= burst, "delay", delay, "is out of range",
				"Use the number of requests that need not wait, from 0 to the burst of " + burst + end);
	}

	private static void require(boolean valid, String attribute, Object value, String reason, String action) {
		InvalidRateLimitException.require(valid, attribute, value, reason, action);
	}

	/**
	 * Creates a limit whose other numbers have their defaults.
	 * @param algorithm how to count
	 * @param limit permits per window, from 1
	 * @param window the window, from a millisecond to 31 days
	 * @return the limit
	 * @throws InvalidRateLimitException if a number is out of its range
	 */
	public static RateLimit of(RateLimitAlgorithm algorithm, long limit, Duration window) {
		return builder(algorithm).limit(limit).window(window).build();
	}

	/**
	 * Starts to describe a limit.
	 * @param algorithm how to count
	 * @return a builder that needs at least a limit and a window
	 */
	public static Builder builder(RateLimitAlgorithm algorithm) {
		return new Builder(algorithm);
	}

	/**
	 * The most permits that can pass in one instant. A request of more can never pass.
	 * @return the number of permits, at least 1
	 */
	public long capacity() {
		return switch (this.algorithm) {
			case TOKEN_BUCKET -> this.burst;
			case LEAKY_BUCKET -> this.burst + 1;
			case FIXED_WINDOW_COUNTER, SLIDING_WINDOW_LOG, SLIDING_WINDOW_COUNTER -> this.limit;
		};
	}

	/**
	 * Whether an allowed request may have to wait first.
	 * @return {@code true} for a leaky bucket in which requests can wait
	 */
	public boolean delays() {
		return switch (this.algorithm) {
			case LEAKY_BUCKET -> this.delay < this.burst;
			case TOKEN_BUCKET, FIXED_WINDOW_COUNTER, SLIDING_WINDOW_LOG, SLIDING_WINDOW_COUNTER -> false;
		};
	}

	/**
	 * The longest that an allowed request may have to wait.
	 * @return the time in which all requests that may wait leave the leaky bucket; zero
	 * if none waits
	 */
	public Duration longestDelay() {
		if (!delays()) {
			return Duration.ZERO;
		}
		BigInteger nanos = BigInteger.valueOf(this.window.toNanos())
			.multiply(BigInteger.valueOf(this.burst - this.delay));
		return Duration.ofNanos(nanos.divide(BigInteger.valueOf(this.limit)).longValueExact());
	}

	@Override
	public String toString() {
		StringBuilder text = new StringBuilder(this.algorithm.id());
		text.append(' ').append(this.limit).append(" per ");
		if (this.calendar != null) {
			text.append(this.calendar);
		}
		else {
			text.append(DurationText.of(this.window));
		}
		if (this.algorithm.uses(Setting.BURST)) {
			text.append(", burst ").append(this.burst);
		}
		if (this.nodelay) {
			text.append(", nodelay");
		}
		else if (this.algorithm.uses(Setting.DELAY)) {
			text.append(", delay ").append(this.delay);
		}
		if (this.countRejected) {
			text.append(", count-rejected");
		}
		return text.toString();
	}

	/**
	 * Describes a limit step by step. Numbers that are not set have the algorithm's
	 * defaults.
	 */
	public static final class Builder {

		private final RateLimitAlgorithm algorithm;

		private long limit;

		private Duration window = Duration.ZERO;

		private @Nullable CalendarWindow calendar;

		private @Nullable Long burst;

		private @Nullable Long delay;

		private boolean nodelay;

		private boolean countRejected;

		Builder(RateLimitAlgorithm algorithm) {
			this.algorithm = algorithm;
		}

		/**
		 * Sets the permits per window.
		 * @param limit the number of permits, from 1 to a million for each second of the
		 * window
		 * @return this builder
		 */
		public Builder limit(long limit) {
			this.limit = limit;
			return this;
		}

		/**
		 * Sets the window.
		 * @param window from a millisecond to 31 days, in whole microseconds
		 * @return this builder
		 */
		public Builder window(Duration window) {
			this.window = window;
			this.calendar = null;
			return this;
		}

		/**
		 * Sets the windows to those of a calendar, which the fixed window counter uses.
		 * @param calendar the windows
		 * @return this builder
		 */
		public Builder window(CalendarWindow calendar) {
			this.calendar = calendar;
			return this;
		}

		/**
		 * Sets the token bucket's capacity (from 1), or how many may wait in the leaky
		 * bucket (from 0).
		 * @param burst the number of permits, or {@code null} for the token bucket's
		 * limit and the leaky bucket's 0
		 * @return this builder
		 */
		public Builder burst(@Nullable Long burst) {
			this.burst = burst;
			return this;
		}

		/**
		 * Sets how many of the leaky bucket's burst need not wait.
		 * @param delay the number of permits, from 0 to the burst, or {@code null} for 0
		 * @return this builder
		 */
		public Builder delay(@Nullable Long delay) {
			this.delay = delay;
			return this;
		}

		/**
		 * Sets whether no request waits in the leaky bucket.
		 * @param nodelay {@code true} to let a request that may pass pass at once
		 * @return this builder
		 */
		public Builder nodelay(boolean nodelay) {
			this.nodelay = nodelay;
			return this;
		}

		/**
		 * Sets whether the sliding window log also keeps the requests that it rejects.
		 * @param countRejected {@code true} to reject a client for as long as it keeps
		 * asking
		 * @return this builder
		 */
		public Builder countRejected(boolean countRejected) {
			this.countRejected = countRejected;
			return this;
		}

		/**
		 * Builds the limit.
		 * @return the limit
		 * @throws InvalidRateLimitException if a number is out of its range, or not used
		 * by the algorithm
		 */
		public RateLimit build() {
			this.algorithm.checkUses(Setting.BURST, this.burst);
			this.algorithm.checkUses(Setting.DELAY, this.delay);
			if (this.delay != null && this.nodelay) {
				throw new InvalidRateLimitException("delay", this.delay, "contradicts nodelay",
						"Use either delay (how many need not wait) or nodelay (none waits).");
			}

			long burst = (this.burst != null) ? this.burst : this.algorithm.defaultBurst(this.limit);
			long delay = (this.delay != null) ? this.delay : 0;
			return new RateLimit(this.algorithm, this.limit, this.window, this.calendar, burst, delay, this.nodelay,
					this.countRejected);
		}

	}

}
