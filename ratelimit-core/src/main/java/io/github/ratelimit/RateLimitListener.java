package io.github.ratelimit;

import java.time.Instant;

/**
 * Is called for every decision that takes permits or rejects, and for every ban, on the
 * request's own thread: be quick, and do not throw. Only thresholds are told on a thread
 * of their own.
 * <p>
 * A decision of a policy whose {@link RateLimitPolicy#mode() mode} is
 * {@link RateLimitMode#SHADOW} has no consequences. A store that is reached over a
 * network may answer it later, on a thread of its own.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RateLimitListener {

	/**
	 * Called after a decision.
	 * @param policy the policy that decided; its mode says whether it was in shadow
	 * @param key the key that is limited; it comes from the client, so keep it out of
	 * metrics and escape it in logs
	 * @param decision the decision
	 * @param outcome what became of the request
	 */
	void onDecision(RateLimitPolicy policy, String key, RateLimitDecision decision, RateLimitOutcome outcome);

	/**
	 * Called when a ban of a key begins, before the decision that begins it. Not called
	 * in shadow, where nobody is banned; {@link RateLimitDecision#newBan()} of the
	 * decision says which ban would have begun.
	 * @param policy the policy that bans
	 * @param key the key that is banned
	 * @param until when the ban ends
	 * @param times how many times the key is banned now; the policy has forgotten those
	 * after which it behaved for long enough
	 */
	default void onBan(RateLimitPolicy policy, String key, Instant until, int times) {
	}

	/**
	 * Called when a key has used a share of a limit of which its policy
	 * {@link RateLimitPolicy#warnAt() warns}, soon afterwards, on a thread that no
	 * request waits for. It tells one event after the other, and leaves out those for
	 * which more than a thousand are waiting. Not called in shadow.
	 * @param event what the key has used
	 */
	default void onThreshold(RateLimitThresholdEvent event) {
	}

}
