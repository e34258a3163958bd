package io.github.ratelimit.redis;

/**
 * Who decides while Redis cannot.
 */
public enum RedisFailureMode {

	/**
	 * This process alone, with the same limits for itself, in Caffeine.
	 */
	LOCAL,

	/**
	 * Nobody: every request passes.
	 */
	ALLOW,

	/**
	 * Nobody: every request is turned away with 503.
	 */
	REJECT

}
