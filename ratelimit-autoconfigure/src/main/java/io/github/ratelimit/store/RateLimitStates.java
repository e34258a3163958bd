package io.github.ratelimit.store;

import io.github.ratelimit.RateLimitDecision;

/**
 * The states of one policy's keys. Every call is atomic, for any number of threads.
 */
public interface RateLimitStates {

	/**
	 * Decides on a request. A rejected request changes nothing, unless a limit counts
	 * rejected requests.
	 * @param key who asks
	 * @param permits how many permits the request costs; 0 looks without taking
	 * @return the decision of all the policy's limits
	 */
	RateLimitDecision decide(String key, long permits);

	/**
	 * Decides on a request that cannot wait: one that would have to is rejected, and told
	 * how long that wait would have been. By default it is taken and given back, which
	 * leaves it taken if another came behind it meanwhile; a store that can takes
	 * nothing.
	 * @param key who asks
	 * @param permits how many permits the request costs; 0 looks without taking
	 * @return the decision of all the policy's limits, without a delay
	 * @see RateLimitDecision#queueFull()
	 */
	default RateLimitDecision decideAtOnce(String key, long permits) {
		RateLimitDecision decision = decide(key, permits);
		if (decision.delayNanos() == 0) {
			return decision;
		}
		giveBack(key, permits, decision);
		return RateLimitDecisions.asQueueFull(decision, decision.delayNanos());
	}

	/**
	 * Gives back what a request was given and did not use. Never lets more through than
	 * the limits allow: what cannot be given back safely stays taken.
	 * @param key who asked
	 * @param permits how many permits the request cost
	 * @param given the decision that allowed it
	 */
	void giveBack(String key, long permits, RateLimitDecision given);

	/**
	 * Makes a key as good as new.
	 * @param key the key to forget
	 */
	void reset(String key);

	/**
	 * How many keys have a state.
	 * @return the number, approximately, or -1 if the store cannot tell cheaply
	 */
	default long keys() {
		return -1;
	}

	/**
	 * How many states were dropped for want of room while they still counted, which
	 * forgave their callers.
	 * @return the number since the start
	 */
	default long evictions() {
		return 0;
	}

	/**
	 * How many decisions were left to something else, because the store could not make
	 * them.
	 * @return the number since the start
	 */
	default long fallbacks() {
		return 0;
	}

}
