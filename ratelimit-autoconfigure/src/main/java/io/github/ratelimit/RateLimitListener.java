package io.github.ratelimit;

/**
 * Called for every decision that takes permits or rejects. Called on the request's own
 * thread: be quick, and do not throw.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RateLimitListener {

	/**
	 * Called after a decision.
	 * @param policy the policy that decided
	 * @param key the key that is limited; it comes from the client, so keep it out of
	 * metrics and escape it in logs
	 * @param decision the decision
	 * @param outcome what became of the request
	 */
	void onDecision(RateLimitPolicy policy, String key, RateLimitDecision decision, RateLimitOutcome outcome);

}
