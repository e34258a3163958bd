package io.github.ratelimit.remote;

/**
 * The way in which a policy's requests are decided while its store is unavailable.
 *
 * @since 0.1.0
 */
public enum FailureMode {

	/**
	 * This process decides, with its share of each limit.
	 */
	LOCAL,

	/**
	 * Every request is allowed.
	 */
	ALLOW,

	/**
	 * Every request is rejected, with 503.
	 */
	REJECT

}
