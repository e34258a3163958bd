package io.github.ratelimit.store;

import java.util.List;

import io.github.ratelimit.RateLimitDecision;
import org.jspecify.annotations.Nullable;

/**
 * One request's conversation with a store that decides for several policies in one step,
 * and that bounds how long a request waits for all of its answers together. Useful for a
 * store that is reached over a network.
 * <p>
 * Belongs to one request and to one thread at a time.
 *
 * @since 0.1.0
 */
public interface RateLimitSession {

	/**
	 * Decides on a request for several policies: takes permits from all of them, or from
	 * none.
	 * @param questions a question for each policy, at least one; for a policy and key
	 * only one
	 * @return an answer to each question, in order. If all allow, the permits are taken.
	 * If one rejects, none are, and the answers of the others are those of a look, or
	 * {@code null} if they were not asked
	 */
	List<@Nullable RateLimitDecision> decide(List<Question> questions);

	/**
	 * Refunds what the request was given and did not use, as {@link PolicyDecider#refund}
	 * does.
	 * @param given the questions that were allowed, in order; the last is refunded first
	 */
	void refund(List<Given> given);

	/**
	 * Begins the session of a call within the request, which may make any number of them.
	 * @return a session with a deadline of its own; waits without an answer count for the
	 * whole request
	 */
	RateLimitSession call();

	/**
	 * A question to one policy.
	 *
	 * @param states the policy's states, the same object that the store has opened
	 * @param key the key that is limited
	 * @param permits how many permits the request costs; 0 looks without taking
	 * @param withoutDelay whether the request cannot wait, as in
	 * {@link PolicyDecider#decideWithoutDelay}
	 */
	record Question(PolicyDecider states, String key, long permits, boolean withoutDelay) {
	}

	/**
	 * The permits that one policy has given.
	 *
	 * @param states the policy's states, as the store has opened them
	 * @param key the key that is limited
	 * @param permits how many permits the request cost
	 * @param decision the decision that allowed it
	 */
	record Given(PolicyDecider states, String key, long permits, RateLimitDecision decision) {
	}

}
