package io.github.ratelimit.autoconfigure;

/**
 * Follows {@code ratelimit.rules} when they change while the application runs. Knows
 * nothing of the web, because policies change without it, too.
 */
interface RulesInForce {

	/** What the name of a rule begins with, as a place that a policy is applied to. */
	String PLACE = "rule ";

	/**
	 * Checks the rules as at the start, and prepares to enforce them. Nothing changes
	 * yet.
	 * @param properties the properties as they are to be
	 * @param policies the policies as they are to be
	 * @return puts the rules in force
	 */
	Runnable prepare(RateLimitProperties properties, ChangedPolicies policies);

	/**
	 * Forgets what was prepared and is not in force.
	 */
	default void release() {
	}

}
