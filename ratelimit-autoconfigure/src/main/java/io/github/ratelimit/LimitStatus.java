package io.github.ratelimit;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The status of a key under one limit after a request, and whether the limit allowed the
 * request. All times count from the moment of the decision.
 *
 * @since 0.1.0
 * @see RateLimitDecision#limits()
 */
public interface LimitStatus {

	/**
	 * The value of {@link #retryAfterNanos()} for a request that can never pass.
	 */
	long NEVER = -1;

	/**
	 * Whether the request may pass, after its {@link #delayNanos() delay}.
	 * @return {@code true} if it may
	 */
	boolean allowed();

	/**
	 * How many single-permit requests would pass now.
	 * @return the number, from 0 to the capacity
	 */
	long remaining();

	/**
	 * How long an allowed request must wait first.
	 * @return nanoseconds; 0 for a rejected request
	 */
	long delayNanos();

	/**
	 * When a rejected request would pass if no other request came: it is rejected at any
	 * moment before, and allowed at this one.
	 * @return nanoseconds; 0 for an allowed request; {@link #NEVER} for one of more
	 * permits than the capacity
	 */
	long retryAfterNanos();

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
	 * How long an allowed request must wait first.
	 * @return the duration; zero for a rejected request
	 * @see #delayNanos()
	 */
	default Duration delay() {
		return Duration.ofNanos(delayNanos());
	}

	/**
	 * When a rejected request would pass.
	 * @return the duration; zero for an allowed request; {@code null} for one that can
	 * never pass
	 * @see #retryAfterNanos()
	 */
	default @Nullable Duration retryAfter() {
		long nanos = retryAfterNanos();
		return (nanos != NEVER) ? Duration.ofNanos(nanos) : null;
	}

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
