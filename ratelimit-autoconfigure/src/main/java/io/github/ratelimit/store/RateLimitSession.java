package io.github.ratelimit.store;

import java.util.List;

import io.github.ratelimit.RateLimitDecision;
import org.jspecify.annotations.Nullable;

/**
 * What one request asks of a store that answers for several policies in one step, and
 * that bounds how long a request waits for all of its answers together. Of use to a store
 * that is reached over a network.
 * <p>
 * Belongs to one request and to one thread at a time.
 */
public interface RateLimitSession {

	/**
	 * Decides on a request for all policies that it meets in one place: takes from all of
	 * them, or from none.
	 * @param questions what to ask of each policy, at least one; of a policy and key only
	 * one
	 * @return an answer to each question, in order. If all allow, the permits are taken.
	 * If one rejects, none are, and the answers of the others say how they stand, as a
	 * look does, or are {@code null} if they were not asked
	 */
	List<@Nullable RateLimitDecision> decide(List<Question> questions);

	/**
	 * Gives back what the request was given and did not use, as
	 * {@link RateLimitStates#giveBack} does.
	 * @param given what was asked and allowed, in order; the last is given back first
	 */
	void giveBack(List<Given> given);

	/**
	 * Begins the session of a call within the request, which may make any number of them.
	 * @return a session with a deadline of its own, while the request waits in vain no
	 * longer than it would without calls
	 */
	RateLimitSession call();

	/**
	 * What to ask of one policy.
	 *
	 * @param states the policy's states, the very object that the store has opened
	 * @param key who asks
	 * @param permits how many permits the request costs; 0 looks without taking
	 * @param atOnce whether the request cannot wait, as in
	 * {@link RateLimitStates#decideAtOnce}
	 */
	record Question(RateLimitStates states, String key, long permits, boolean atOnce) {
	}

	/**
	 * What one policy has given.
	 *
	 * @param states the policy's states, as the store has opened them
	 * @param key who asked
	 * @param permits how many permits the request cost
	 * @param decision the decision that allowed it
	 */
	record Given(RateLimitStates states, String key, long permits, RateLimitDecision decision) {
	}

}
