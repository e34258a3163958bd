package io.github.ratelimit;

import java.time.Duration;

/**
 * How long a key that does not stop is kept out: after a number of rejections within a
 * time it is banned, and the next time for longer. A ban is forgotten once the key has
 * behaved for as long as its last ban, at least for the time in which rejections count.
 * <p>
 * Immutable and valid: a number out of its range is rejected when the ban is built.
 *
 * @param after the number of rejections that begin a ban, from 1 to 1000
 * @param within the time in which these rejections must come, from a millisecond to 366
 * days
 * @param duration how long the first ban lasts, from a millisecond to 366 days
 * @param multiplier how many times as long each further ban lasts, from 1 to 1000
 * @param max the longest ban, at least as long as the first
 * @since 0.1.0
 * @see #builder()
 */
public record RateLimitBan(int after, Duration within, Duration duration, double multiplier, Duration max) {

	private static final Duration SHORTEST = Duration.ofMillis(1);

	private static final Duration LONGEST = Duration.ofDays(366);

	private static final int MOST_REJECTIONS = 1000;

	private static final double MOST_MULTIPLIER = 1000;

	/**
	 * Creates a ban.
	 * @throws InvalidRateLimitException if a number is out of its range
	 */
	public RateLimitBan {
		require(after >= 1 && after <= MOST_REJECTIONS, "after", after, "is out of range",
				"Use the number of rejections that begin a ban, from 1 to " + MOST_REJECTIONS + ".");
		require(multiplier >= 1 && multiplier <= MOST_MULTIPLIER, "multiplier", multiplier, "is out of range",
				"Use 1 for bans of the same duration, or a factor of up to " + (int) MOST_MULTIPLIER + ".");
		check("within", within);
		check("for", duration);
		check("max", max);
		require(max.compareTo(duration) >= 0, "max", max, "is shorter than the first ban",
				"Use at least " + DurationText.of(duration) + ", which is the value of for.");
	}

	private static void check(String attribute, Duration duration) {
		require(duration.compareTo(SHORTEST) >= 0 && duration.compareTo(LONGEST) <= 0 && duration.getNano() % 1000 == 0,
				attribute, duration, "is out of range",
				"Use a duration from 1ms to 366d in whole microseconds, such as 5m or 1h.");
	}

	private static void require(boolean valid, String attribute, Object value, String reason, String action) {
		InvalidRateLimitException.require(valid, "ban." + attribute, value, reason, action);
	}

	/**
	 * Starts to describe a ban: after 3 rejections within 10 minutes, for 5 minutes, then
	 * for twice as long each time, up to a day.
	 * @return a builder with these defaults
	 */
	public static Builder builder() {
		return new Builder();
	}

	/**
	 * How long a ban lasts.
	 * @param times how many times the key is banned now, from 1
	 * @return the first ban's duration times the multiplier for each further ban, in
	 * whole microseconds, at most {@link #max()}
	 */
	public Duration duration(int times) {
		double longest = micros(this.max);
		double micros = micros(this.duration);
		for (int i = 1; i < times && micros < longest && this.multiplier > 1; i++) {
			micros *= this.multiplier;
		}
		return Duration.ofNanos((long) Math.min(micros, longest) * 1000);
	}

	private static long micros(Duration duration) {
		return duration.toNanos() / 1000;
	}

	@Override
	public String toString() {
		return "banned after " + this.after + " rejections within " + DurationText.of(this.within) + " for "
				+ DurationText.of(this.duration) + ", times " + this.multiplier + ", at most "
				+ DurationText.of(this.max);
	}

	/**
	 * Describes a ban step by step.
	 */
	public static final class Builder {

		private int after = 3;

		private Duration within = Duration.ofMinutes(10);

		private Duration duration = Duration.ofMinutes(5);

		private double multiplier = 2;

		private Duration max = Duration.ofDays(1);

		Builder() {
		}

		/**
		 * Sets the number of rejections that begin a ban.
		 * @param after the number, from 1 to 1000
		 * @return this builder
		 */
		public Builder after(int after) {
			this.after = after;
			return this;
		}

		/**
		 * Sets the time in which these rejections must come.
		 * @param within the time, from a millisecond to 366 days
		 * @return this builder
		 */
		public Builder within(Duration within) {
			this.within = within;
			return this;
		}

		/**
		 * Sets how long the first ban lasts.
		 * @param duration the duration, from a millisecond to 366 days
		 * @return this builder
		 */
		public Builder duration(Duration duration) {
			this.duration = duration;
			return this;
		}

		/**
		 * Sets how many times as long each further ban lasts.
		 * @param multiplier the factor, from 1 to 1000
		 * @return this builder
		 */
		public Builder multiplier(double multiplier) {
			this.multiplier = multiplier;
			return this;
		}

		/**
		 * Sets the longest ban.
		 * @param max the duration, at least that of the first ban, at most 366 days
		 * @return this builder
		 */
		public Builder max(Duration max) {
			this.max = max;
			return this;
		}

		/**
		 * Builds the ban.
		 * @return the ban
		 * @throws InvalidRateLimitException if a number is out of its range
		 */
		public RateLimitBan build() {
			return new RateLimitBan(this.after, this.within, this.duration, this.multiplier, this.max);
		}

	}

}
