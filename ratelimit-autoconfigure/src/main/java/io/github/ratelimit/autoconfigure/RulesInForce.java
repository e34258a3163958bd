package io.github.ratelimit.autoconfigure;

import java.util.Map;

import io.github.ratelimit.policy.PolicyChange;

import org.springframework.util.ClassUtils;

/**
 * Follows {@code ratelimit.rules} when they change while the application runs. Knows
 * nothing of the web, because policies change without it, too.
 */
interface RulesInForce {

	/** What the name of a rule begins with, as a place that a policy is applied to. */
	String PLACE = "rule ";

	/** Whether policies and rules may change while the application runs. */
	boolean MAY_CHANGE = ClassUtils.isPresent("org.springframework.cloud.context.environment.EnvironmentChangeEvent",
			RulesInForce.class.getClassLoader());

	/**
	 * Checks the rules as at the start, and prepares to enforce them. Nothing changes
	 * yet.
	 * @param properties the properties as they are to be
	 * @param changes the policies that change, by name
	 * @return puts the rules in force
	 */
	Runnable prepare(RateLimitProperties properties, Map<String, PolicyChange> changes);

	/**
	 * Forgets what was prepared and is not in force.
	 */
	default void release() {
	}

}
