package io.github.ratelimit.redis;

import java.time.Duration;

import io.github.ratelimit.RateLimitClock;

/**
 * Until when what is asked of Redis for one request must be answered. In real time,
 * whatever a test does to the application's.
 */
final class Deadline {

	private static final RateLimitClock CLOCK = RateLimitClock.system();

	private final Duration timeout;

	private final long endNanos;

	private Deadline(Duration timeout) {
		this.timeout = timeout;
		this.endNanos = CLOCK.nanos() + timeout.toNanos();
	}

	static Deadline after(Duration timeout) {
		return new Deadline(timeout);
	}

	/**
	 * How long an answer can still be waited for.
	 * @return nanoseconds, 0 if it is over
	 */
	long remainingNanos() {
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
	Duration timeout() {
		return this.timeout;
	}

}
