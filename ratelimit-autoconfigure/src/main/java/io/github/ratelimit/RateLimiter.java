package io.github.ratelimit;

import java.util.Collection;

/**
 * Decides for one policy, and counts what it decided.
 *
 * @since 0.1.0
 * @see RateLimiterRegistry#policy(String)
 */
public interface RateLimiter {

	/**
	 * The policy that is enforced.
	 * @return the policy
	 */
	RateLimitPolicy policy();

	/**
	 * Decides on a request.
	 * @param key the key that is limited
	 * @param permits how many permits the request costs, from 1
	 * @return the decision; one that allows may have a delay, for which the caller waits
	 * @throws IllegalArgumentException if the permits are fewer than 1
	 * @see #peek(String)
	 */
	RateLimitDecision decide(String key, long permits);

	/**
	 * Decides on a request that cannot wait.
	 * @param key the key that is limited
	 * @param permits how many permits the request costs, from 1
	 * @return the decision, without a delay
	 * @throws IllegalArgumentException if the permits are fewer than 1
	 * @see #peek(String)
	 */
	RateLimitDecision decideAtOnce(String key, long permits);

	/**
	 * Looks at what a key has left. Takes nothing, and is not counted as a request.
	 * @param key the key that is limited
	 * @return the key's standing; a key that was never used has all of its permits
	 */
	RateLimitStanding peek(String key);

	/**
	 * Gives back what a request was given and did not use.
	 * @param key the key that is limited
	 * @param permits how many permits the request cost
	 * @param given the decision that allowed it
	 */
	void giveBack(String key, long permits, RateLimitDecision given);

	/**
	 * Forgets a key, which then has all of its permits.
	 * @param key the key to forget
	 */
	void reset(String key);

	/**
	 * How many requests had an outcome.
	 * @param outcome the outcome to count
	 * @return the number since the start
	 */
	long count(RateLimitOutcome outcome);

	/**
	 * How many keys have a state.
	 * @return the number, or -1 if the store cannot tell
	 */
	long keys();

	/**
	 * How many states were dropped while they still counted, because there was no room.
	 * @return the number since the start
	 */
	long evictions();

	/**
	 * How many decisions were made without the store, because it could not make them.
	 * @return the number since the start
	 */
	long fallbacks();

	/**
	 * How many requests had a key, cost or condition that could not be computed.
	 * @param expression which of them
	 * @return the number since the start
	 */
	long failures(RateLimitExpression expression);

	/**
	 * Where the policy is applied.
	 * @return the rules and methods, sorted; empty if nothing uses the policy
	 */
	Collection<String> appliedTo();

}
