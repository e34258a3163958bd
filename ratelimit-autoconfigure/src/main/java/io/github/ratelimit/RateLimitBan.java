package io.github.ratelimit;

import java.time.Duration;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * How long a key that does not stop is kept out: after a number of rejections within a
 * time it is banned, and the next time for longer. A ban is forgotten once the key has
 * behaved for as long as its last ban, at least for the time in which rejections count.
 * <p>
 * Immutable and valid: a number out of its range is rejected when the ban is built.
 *
 * @since 0.1.0
 * @see #builder()
 */
public final class RateLimitBan {

	private static final Duration SHORTEST = Duration.ofMillis(1);

	private static final Duration LONGEST = Duration.ofDays(366);

	private static final int MOST_REJECTIONS = 1000;

	private static final double MOST_MULTIPLIER = 1000;

	private final int after;

	private final Duration within;

	private final Duration duration;

	private final double multiplier;

	private final Duration max;

	private RateLimitBan(Builder builder) {
		this.after = builder.after;
		this.within = builder.within;
		this.duration = builder.duration;
		this.multiplier = builder.multiplier;
		this.max = builder.max;
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
	 * The number of rejections that begin a ban.
	 * @return the number, from 1 to 1000
	 */
	public int after() {
		return this.after;
	}

	/**
	 * The time in which these rejections must come.
	 * @return the time, from a millisecond to 366 days
	 */
	public Duration within() {
		return this.within;
	}

	/**
	 * How long the first ban lasts.
	 * @return the duration, from a millisecond to 366 days
	 */
	public Duration duration() {
		return this.duration;
	}

	/**
	 * How many times as long each further ban lasts.
	 * @return the factor, from 1 to 1000
	 */
	public double multiplier() {
		return this.multiplier;
	}

	/**
	 * The longest ban.
	 * @return the duration, at least that of the first ban
	 */
	public Duration max() {
		return this.max;
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
	public boolean equals(@Nullable Object other) {
		return this == other || other instanceof RateLimitBan that && this.after == that.after
				&& this.within.equals(that.within) && this.duration.equals(that.duration)
				&& this.multiplier == that.multiplier && this.max.equals(that.max);
	}

	@Override
	public int hashCode() {
		return Objects.hash(this.after, this.within, this.duration, this.multiplier, this.max);
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
			if (this.after < 1 || this.after > MOST_REJECTIONS) {
				throw new InvalidRateLimitException("ban.after", this.after, "is out of range",
						"Use the number of rejections that begin a ban, from 1 to " + MOST_REJECTIONS + ".");
			}
			if (!(this.multiplier >= 1 && this.multiplier <= MOST_MULTIPLIER)) {
				throw new InvalidRateLimitException("ban.multiplier", this.multiplier, "is out of range",
						"Use 1 for bans of the same duration, or a factor of up to " + (int) MOST_MULTIPLIER + ".");
			}
			check("within", this.within);
			check("for", this.duration);
			check("max", this.max);
			if (this.max.compareTo(this.duration) < 0) {
				throw new InvalidRateLimitException("ban.max", this.max, "is shorter than the first ban",
						"Use at least " + DurationText.of(this.duration) + ", which is the value of for.");
			}
			return new RateLimitBan(this);
		}

		private static void check(String attribute, Duration duration) {
			if (duration.compareTo(SHORTEST) < 0 || duration.compareTo(LONGEST) > 0 || duration.getNano() % 1000 != 0) {
				throw new InvalidRateLimitException("ban." + attribute, duration, "is out of range",
						"Use a duration from 1ms to 366d in whole microseconds, such as 5m or 1h.");
			}
		}

	}

}
