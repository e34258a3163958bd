package io.github.ratelimit.remote;

import java.time.Duration;

import io.github.ratelimit.RateLimitClock;

/**
 * The moment until which the calls of one request must be answered. Deadlines are in real
 * time, whatever the application's clock says.
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
	 * Creates the deadline of a wait that begins now.
	 * @param timeout how long the wait is at most
	 */
	public static Deadline after(Duration timeout) {
		return new Deadline(timeout);
	}

	/**
	 * Returns the later one of two deadlines.
	 */
	Deadline later(Deadline other) {
		if (this.endNanos - other.endNanos < 0) {
			return other;
		}
		return this;
	}

	/**
	 * Returns how much of the time is left.
	 * @return nanoseconds, 0 if the time is over
	 */
	public long remainingNanos() {
		return Math.max(0, this.endNanos - CLOCK.nanos());
	}

	/**
	 * Returns how much of the time is over.
	 * @return nanoseconds, the time-out at most
	 */
	long passedNanos() {
		return this.timeout.toNanos() - remainingNanos();
	}

	/**
	 * Returns the time that there was in all.
	 */
	public Duration timeout() {
		return this.timeout;
	}

}
