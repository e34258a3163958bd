package io.github.ratelimit.local;

/**
 * Keys of one policy, of which some are idle.
 */
interface IdleKeys {

	/**
	 * How many keys have a state, approximately.
	 */
	long keys();

	/**
	 * Forgets the keys whose state changes no answer.
	 */
	void forgetIdle();

	/**
	 * Forgets all keys.
	 */
	void forgetAll();

}
