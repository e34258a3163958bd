package io.github.ratelimit.actuate;

import java.util.List;

import io.github.ratelimit.Suggestion;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What the endpoint says to whoever asks for a policy that does not exist.
 *
 * @param message what was wrong
 * @param policies the names of the policies that exist
 */
record UnknownPolicyDescriptor(String message, List<String> policies) implements OperationResponseBody {

	static UnknownPolicyDescriptor of(String policy, List<String> known) {
		String message = "There is no rate limit policy named '" + policy + "'. " + Suggestion.question(policy, known);
		return new UnknownPolicyDescriptor(message.strip(), known);
	}

}
