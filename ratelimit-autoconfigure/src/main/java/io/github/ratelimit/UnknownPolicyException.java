package io.github.ratelimit;

import java.util.Collection;

/**
 * A policy was named that does not exist.
 */
public class UnknownPolicyException extends InvalidRateLimitException {

	/**
	 * Creates the exception.
	 * @param policy the name that is not known
	 * @param known the names that are
	 */
	public UnknownPolicyException(String policy, Collection<String> known) {
		super("There is no rate limit policy named '" + policy + "'",
				Suggestion.of(policy, known) + " Or add the policy to ratelimit.policies.");
	}

}
