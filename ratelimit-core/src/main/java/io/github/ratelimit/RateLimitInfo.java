package io.github.ratelimit;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What policies have decided on the current request or call by now. A policy whose mode
 * is {@link RateLimitMode#INFORM} lets pass what it would reject, and code asks here
 * whether it has, to choose a cheaper answer.
 * <p>
 * A handler of Spring MVC or Spring WebFlux has it as an argument. Any other bean has it
 * injected: there it belongs to the annotated method that the calling thread is in, and
 * to the request that the thread serves.
 *
 * @since 0.1.0
 */
public interface RateLimitInfo {

	/**
	 * Whether a policy that informs would have rejected the request or call.
	 * @return {@code true} if any was exceeded
	 */
	default boolean isExceeded() {
		return !exceeded().isEmpty();
	}

	/**
	 * Whether a policy that informs would have rejected the request or call.
	 * @param policy the policy's name
	 * @return {@code true} if it was exceeded; {@code false} also if it was not asked
	 * @throws InvalidRateLimitException if there is no such policy
	 */
	default boolean isExceeded(String policy) {
		RateLimitDecision decision = decision(policy);
		return decision != null && decision.exceeded();
	}

	/**
	 * The policies that inform, and would have rejected the request or call.
	 * @return their names, in the order in which they were asked
	 */
	List<String> exceeded();

	/**
	 * What a policy has decided. Of several keys, it is what the tightest has left.
	 * @param policy the policy's name
	 * @return the decision, or {@code null} if the policy was not asked
	 * @throws InvalidRateLimitException if there is no such policy
	 */
	@Nullable RateLimitDecision decision(String policy);

}
