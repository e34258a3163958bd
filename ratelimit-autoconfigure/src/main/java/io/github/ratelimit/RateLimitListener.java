package io.github.ratelimit;

/**
 * Is told of every decision that takes something or rejects. Called on the request's own
 * thread: be quick, and do not throw.
 */
@FunctionalInterface
public interface RateLimitListener {

	/**
	 * Called after a decision.
	 * @param policy the policy that decided
	 * @param key who asked: comes from the client, so keep it out of metrics and escape
	 * it in logs
	 * @param decision what was decided
	 * @param outcome what became of the request
	 */
	void onDecision(RateLimitPolicy policy, String key, RateLimitDecision decision, RateLimitOutcome outcome);

}
