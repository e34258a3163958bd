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
public interface LimitStatus extends LimitStanding {

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

}
