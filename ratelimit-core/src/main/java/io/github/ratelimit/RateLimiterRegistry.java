package io.github.ratelimit;

import java.util.Collection;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * All policies of an application, by name. Ask it by hand where neither an annotation nor
 * a rule fits:
 *
 * <pre class="code">
 * RateLimitDecision decision = registry.decide("exports", user.getId());
 * if (!decision.allowed()) { ... }
 * </pre>
 *
 * @since 0.1.0
 */
public interface RateLimiterRegistry {

	/**
	 * Adds a policy.
	 * @param policy the policy
	 * @return the policy's limiter
	 * @throws IllegalStateException if there is a policy of that name
	 * @throws InvalidRateLimitException if the store cannot hold such a policy
	 */
	RateLimiter register(RateLimitPolicy policy);

	/**
	 * Passes every limiter to an observer: those of registered policies now, and each
	 * later one when its policy is registered; and each again when its policy's limits or
	 * mode have changed.
	 * @param observer is called at least once for each limiter, on any thread
	 */
	void observe(Consumer<RateLimiter> observer);

	/**
	 * Finds the limiter of a policy that exists.
	 * @param policy the policy's name
	 * @return the policy's limiter
	 * @throws InvalidRateLimitException if there is no such policy
	 */
	RateLimiter policy(String policy);

	/**
	 * Finds the limiter of a policy that may not exist.
	 * @param policy the policy's name
	 * @return the policy's limiter, or {@code null}
	 */
	@Nullable RateLimiter find(String policy);

	/**
	 * All policies.
	 * @return the limiter of each, in no particular order
	 */
	Collection<? extends RateLimiter> policies();

	/**
	 * The name of the store that holds the states.
	 * @return a short name, such as {@code caffeine}
	 */
	String storeName();

	/**
	 * What is changed about policies while the application runs.
	 * @return the overrides
	 */
	RateLimitOverrides overrides();

	/**
	 * What operators have decided by hand, whatever the limits say.
	 * @return bans, exemptions and denials
	 */
	RateLimitInterventions interventions();

	/**
	 * Decides on a request of one permit.
	 * @param policy the policy's name
	 * @param key the key that is limited
	 * @return the decision; one that allows may have a delay, for which the caller waits
	 * @throws InvalidRateLimitException if there is no such policy
	 */
	default RateLimitDecision decide(String policy, String key) {
		return decide(policy, key, 1);
	}

	/**
	 * Decides on a request.
	 * @param policy the policy's name
	 * @param key the key that is limited
	 * @param permits how many permits the request costs, from 1
	 * @return the decision; one that allows may have a delay, for which the caller waits
	 * @throws InvalidRateLimitException if there is no such policy
	 * @throws IllegalArgumentException if the permits are fewer than 1
	 */
	default RateLimitDecision decide(String policy, String key, long permits) {
		return policy(policy).decide(key, permits);
	}

	/**
	 * Looks at what a key has left, without taking any of it.
	 * @param policy the policy's name
	 * @param key the key that is limited
	 * @return the key's standing; a key that was never used has all of its permits
	 * @throws InvalidRateLimitException if there is no such policy
	 */
	default RateLimitStanding peek(String policy, String key) {
		return policy(policy).peek(key);
	}

	/**
	 * Forgets a key, which then has all of its permits.
	 * @param policy the policy's name
	 * @param key the key to forget
	 * @throws InvalidRateLimitException if there is no such policy
	 * @throws IllegalStateException if the store cannot be asked
	 */
	default void reset(String policy, String key) {
		policy(policy).reset(key);
	}

	/**
	 * Forgets which plan a key has, so that its next request asks for it.
	 * @param policy the policy's name
	 * @param key the key that is limited
	 * @throws InvalidRateLimitException if there is no such policy
	 * @see RateLimiter#forgetPlan(String)
	 */
	default void forgetPlan(String policy, String key) {
		policy(policy).forgetPlan(key);
	}

}
