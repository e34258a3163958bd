package io.github.ratelimit;

import java.time.Duration;

/**
 * What a key has left of one limit. All times count from the moment of the decision or
 * look.
 *
 * @since 0.1.0
 * @see RateLimitStanding#limits()
 */
public interface LimitStanding {

	/**
	 * How many single-permit requests would pass now.
	 * @return the number, from 0 to the capacity
	 */
	long remaining();

	/**
	 * The time until the key has all of its permits again.
	 * @return nanoseconds; 0 if it has them
	 */
	long resetAfterNanos();

	/**
	 * The time until {@link #remaining()} next grows.
	 * @return nanoseconds; 0 if it cannot grow
	 */
	long nextPermitAfterNanos();

	/**
	 * The time until the key has all of its permits again.
	 * @return the duration
	 * @see #resetAfterNanos()
	 */
	default Duration resetAfter() {
		return Duration.ofNanos(resetAfterNanos());
	}

	/**
	 * The time until {@link #remaining()} next grows.
	 * @return the duration; zero if it cannot grow
	 * @see #nextPermitAfterNanos()
	 */
	default Duration nextPermitAfter() {
		return Duration.ofNanos(nextPermitAfterNanos());
	}

}
