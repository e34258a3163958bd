package io.github.ratelimit;

import java.time.Duration;

import io.github.ratelimit.support.DurationText;

/**
 * How long a key that does not stop is kept out: after a number of rejections within a
 * time it is banned, and the next time for longer. A ban is forgotten once the key has
 * behaved for as long as its last ban, at least for the time in which rejections count.
 * <p>
 * Immutable and valid: a number out of its range is rejected.
 *
 * @param after the number of rejections that begin a ban, from 1 to 1000
 * @param within the time in which these rejections must come, from a millisecond to 366
 * days
 * @param duration how long the first ban lasts, from a millisecond to 366 days
 * @param multiplier how many times as long each further ban lasts, from 1 to 1000
 * @param max the longest ban, at least as long as the first
 * @since 0.1.0
 */
public record RateLimitBan(int after, Duration within, Duration duration, double multiplier, Duration max) {

	private static final Duration MIN_DURATION = Duration.ofMillis(1);

	private static final Duration MAX_DURATION = Duration.ofDays(366);

	private static final int MAX_REJECTIONS = 1000;

	private static final double MAX_MULTIPLIER = 1000;

	/**
	 * Creates a ban.
	 * @throws InvalidRateLimitException if a number is out of its range
	 */
	public RateLimitBan {
		require(after >= 1 && after <= MAX_REJECTIONS, "after", after, "is out of range",
				"Use the number of rejections that begin a ban, from 1 to " + MAX_REJECTIONS + ".");
		require(multiplier >= 1 && multiplier <= MAX_MULTIPLIER, "multiplier", multiplier, "is out of range",
				"Use 1 for bans of the same duration, or a factor of up to " + (int) MAX_MULTIPLIER + ".");
		check("within", within);
		check("for", duration);
		check("max", max);
		require(max.compareTo(duration) >= 0, "max", max, "is shorter than the first ban",
				"Use at least " + DurationText.of(duration) + ", which is the value of for.");
	}

	private static void check(String attribute, Duration duration) {
		boolean inRange = duration.compareTo(MIN_DURATION) >= 0 && duration.compareTo(MAX_DURATION) <= 0;
		require(inRange && duration.getNano() % 1000 == 0, attribute, duration, "is out of range",
				"Use a duration from 1ms to 366d in whole microseconds, such as 5m or 1h.");
	}

	private static void require(boolean valid, String attribute, Object value, String reason, String action) {
		InvalidRateLimitException.require(valid, "ban." + attribute, value, reason, action);
	}

	/**
	 * Creates a ban after a number of rejections within 10 minutes, for 5 minutes, then
	 * for twice as long each time, up to a day.
	 * @param after the number of rejections that begin a ban, from 1 to 1000
	 * @throws InvalidRateLimitException if it is out of its range
	 */
	public RateLimitBan(int after) {
		this(after, Duration.ofMinutes(10), Duration.ofMinutes(5), 2, Duration.ofDays(1));
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

}
