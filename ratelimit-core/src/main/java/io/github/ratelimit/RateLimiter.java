package io.github.ratelimit;

import java.util.Collection;

import org.jspecify.annotations.Nullable;

/**
 * Decides for one policy, and counts what it decided.
 *
 * @since 0.1.0
 * @see RateLimiterRegistry#policy(String)
 */
public interface RateLimiter {

	/**
	 * The longest text that is a key of a request as it is. A longer one is hashed.
	 */
	int MAX_KEY_LENGTH = 256;

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
	RateLimitDecision decideWithoutDelay(String key, long permits);

	/**
	 * Looks at what a key has left. Takes nothing, and is not counted as a request.
	 * @param key the key that is limited
	 * @return the key's standing; a key that was never used has all of its permits
	 */
	RateLimitStanding peek(String key);

	/**
	 * Refunds what a request was given and did not use, under the limits that the key has
	 * now. If its plan or an override has changed since the decision, a limit of another
	 * algorithm has begun anew, and may get back what was taken since.
	 * @param key the key that is limited
	 * @param permits how many permits the request cost, from 0
	 * @param given the decision that allowed it
	 * @throws IllegalArgumentException if the permits are negative
	 */
	void refund(String key, long permits, RateLimitDecision given);

	/**
	 * Settles a request that was given permits and turned out to use another number of
	 * them. Of fewer, the rest is refunded. Of more, the rest is taken, even if the
	 * limits do not have it: the key then has a debt, of at most one more capacity. Only
	 * a policy with a {@link RateLimitPolicy#charge() charge} has room for debt; any
	 * other is charged at most what is left.
	 * <p>
	 * Uses the limits that the key has now, as {@link #refund} does. Does not wait for a
	 * store that is reached over a network. If it cannot be reached, the request is
	 * charged what it was given.
	 * @param key the key that is limited
	 * @param reserved how many permits the request was given
	 * @param used how many it has used, from 0
	 * @param given the decision that allowed it
	 */
	void settle(String key, long reserved, long used, RateLimitDecision given);

	/**
	 * Forgets a key, which then has all of its permits.
	 * @param key the key to forget
	 * @throws IllegalStateException if the store cannot be asked
	 */
	void reset(String key);

	/**
	 * Finds the plan that a key has at present.
	 * @param key the key that is limited
	 * @return the plan's name, or {@code null} if the policy's own limits hold; for a
	 * policy whose plan is an expression, what it said of the key's last requests
	 */
	@Nullable String plan(String key);

	/**
	 * Forgets which plan a key has, so that its next request asks for it, for a customer
	 * who has just paid. What the key has taken stays taken. Other instances of the
	 * application ask when it is their time.
	 * @param key the key that is limited
	 */
	void forgetPlan(String key);

	/**
	 * How many times a caller was said to have a plan that the policy does not have.
	 * @return the number since the start
	 */
	long unknownPlans();

	/**
	 * How many requests had an outcome.
	 * @param outcome the outcome to count
	 * @return the number since the start
	 */
	long count(RateLimitOutcome outcome);

	/**
	 * How many requests were settled in a way.
	 * @param settlement the way to count
	 * @return the number since the start
	 */
	long settlements(RateLimitSettlement settlement);

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
	 * How many requests had a key, cost, condition, charge or plan that could not be
	 * found out.
	 * @param expression which of them
	 * @return the number since the start
	 */
	long failures(RateLimitExpression expression);

	/**
	 * Where the policy is applied.
	 * @return the rules and methods, sorted; empty if nothing uses the policy
	 */
	Collection<String> appliedTo();

	/**
	 * What the policy decides in shadow, if it does.
	 * @return the decisions of a policy in shadow, or of a policy's shadow limits;
	 * {@code null} if there is nothing of the kind
	 */
	@Nullable RateLimitShadow shadow();

}
