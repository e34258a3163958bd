package io.github.ratelimit;

import java.util.List;

/**
 * A policy's verdict on one request: whether it may pass, how long it must wait first,
 * what is left, and when to come back.
 * <p>
 * A policy of several limits acts as one limit: it allows what all of them allow, and
 * {@link #limits()} has the status of each. Stores make decisions; applications only read
 * them.
 *
 * @since 0.1.0
 */
public interface RateLimitDecision extends LimitStatus, RateLimitStanding {

	/**
	 * Whether the request is rejected only because the store could not decide. Then
	 * nothing is known of any limit. A policy that only informs lets it pass.
	 * @return {@code true} for a rejection that is no fault of the caller
	 */
	default boolean unavailable() {
		return false;
	}

	/**
	 * Whether the request is rejected only because it would have to wait, and no more
	 * requests may wait. Its {@link #retryAfterNanos()} is the wait that it would have
	 * had: then the policy lets it pass without one, whichever other requests wait. (A
	 * request of more permits than pass at once always has to wait, and can only be tried
	 * again.)
	 * @return {@code true} for a rejection that this policy's numbers alone do not
	 * explain
	 */
	default boolean queueFull() {
		return false;
	}

	/**
	 * Whether the request passes only because the policy's mode is
	 * {@link RateLimitMode#INFORM}. It takes nothing, and {@link #limits()} say when it
	 * would have passed.
	 * @return {@code true} for a request that would have been rejected
	 */
	default boolean exceeded() {
		return false;
	}

	/**
	 * Whether the request is rejected because an operator has denied its key. It is no
	 * use to try again.
	 * @return {@code true} for a rejection that no limit explains
	 */
	default boolean denied() {
		return false;
	}

	/**
	 * Which ban of the key begins with this rejection.
	 * @return 1 for its first ban, 2 for its second one, and so on; 0 if none begins
	 */
	default int newBan() {
		return 0;
	}

	/**
	 * The outcome of the request, as it is counted.
	 * @return what became of it
	 */
	default RateLimitOutcome outcome() {
		if (unavailable()) {
			return RateLimitOutcome.UNAVAILABLE;
		}
		if (exceeded()) {
			return RateLimitOutcome.EXCEEDED;
		}
		if (allowed()) {
			return (delayNanos() > 0) ? RateLimitOutcome.DELAYED : RateLimitOutcome.ALLOWED;
		}
		if (queueFull()) {
			return RateLimitOutcome.QUEUE_FULL;
		}
		return banned() ? RateLimitOutcome.BANNED : RateLimitOutcome.REJECTED;
	}

	/**
	 * The status of each of the policy's limits.
	 * @return the statuses in the policy's order; of a single limit, the decision's own,
	 * unless it is {@link #exceeded() exceeded}
	 */
	@Override
	List<LimitStatus> limits();

}
