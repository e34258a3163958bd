package io.github.ratelimit.remote;

import java.time.Duration;

import io.github.ratelimit.RateLimitClock;

/**
 * Until when the calls of one request must be answered. Deadlines are in real time,
 * whatever the application's clock says.
 *
 * @since 0.1.0
 */
public final class Deadline {

	private static final RateLimitClock CLOCK = RateLimitClock.system();

	private final Duration timeout;

	private final long endNanos;

	private Deadline(Duration timeout) {
		this.timeout = timeout;
		this.endNanos = CLOCK.nanos() + timeout.toNanos();
	}

	/**
	 * Begins to wait.
	 * @param timeout how long at most
	 */
	public static Deadline after(Duration timeout) {
		return new Deadline(timeout);
	}

	/**
	 * The later one of two.
	 */
	Deadline later(Deadline other) {
		return (this.endNanos - other.endNanos >= 0) ? this : other;
	}

	/**
	 * How long there is still time to wait.
	 * @return nanoseconds, 0 if the time is over
	 */
	public long remainingNanos() {
		return Math.max(0, this.endNanos - CLOCK.nanos());
	}

	/**
	 * How much of the time is over.
	 * @return nanoseconds, the time-out at most
	 */
	long passedNanos() {
		return this.timeout.toNanos() - remainingNanos();
	}

	/**
	 * The time that there was in all.
	 */
	public Duration timeout() {
		return this.timeout;
	}

}
