package io.github.ratelimit;

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
