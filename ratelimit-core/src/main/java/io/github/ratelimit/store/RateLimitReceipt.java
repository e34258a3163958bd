package io.github.ratelimit.store;

import io.github.ratelimit.RateLimitDecision;

/**
 * The part of a decision that a store needs to give permits back: when each limit gave
 * them, and how full it was then.
 *
 * @since 0.1.0
 */
public interface RateLimitReceipt {

	/**
	 * Returns when a limit gave the permits, by the store's clock.
	 * @param limit the limit's index in its policy
	 * @return nanoseconds since the epoch
	 */
	long decidedAtNanos(int limit);

	/**
	 * Returns how long a limit needed from then on until the key had all of its permits
	 * again.
	 * @param limit the limit's index in its policy
	 * @return nanoseconds
	 */
	long resetAfterNanos(int limit);

	/**
	 * Returns how long the request had to wait for the permits of a limit.
	 * @param limit the limit's index in its policy
	 * @return nanoseconds, 0 for permits that it got at once
	 */
	long delayNanos(int limit);

	/**
	 * Returns the receipt of a decision.
	 * @param decision a decision that {@link RateLimitDecisions} has made
	 * @return its receipt
	 * @throws IllegalArgumentException if the decision is of another implementation
	 */
	static RateLimitReceipt of(RateLimitDecision decision) {
		if (decision instanceof RateLimitReceipt receipt) {
			return receipt;
		}
		throw new IllegalArgumentException("Nothing can be refunded of a decision that no store has made: " + decision);
	}

}
