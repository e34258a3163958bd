package io.github.ratelimit.resilience;

/**
 * What decides on a policy while its store cannot.
 *
 * @since 0.1.0
 */
public enum FailureMode {

	/**
	 * This process alone, with its share of each limit.
	 */
	LOCAL,

	/**
	 * Nothing: every request passes.
	 */
	ALLOW,

	/**
	 * Nothing: every request is rejected with 503.
	 */
	REJECT

}
