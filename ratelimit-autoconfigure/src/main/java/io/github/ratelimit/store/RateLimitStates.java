package io.github.ratelimit.store;

import java.util.concurrent.CompletionStage;

import io.github.ratelimit.RateLimitDecision;

/**
 * The states of one policy's keys. Every call is atomic, for any number of threads.
 *
 * @since 0.1.0
 */
public interface RateLimitStates {

	/**
	 * Decides on a request. A rejected request changes nothing, unless a limit counts
	 * rejected requests.
	 * @param key the key that is limited
	 * @param permits how many permits the request costs; 0 looks without taking
	 * @return the decision of all the policy's limits
	 */
	RateLimitDecision decide(String key, long permits);

	/**
	 * Decides on a request that cannot wait: one that would have to is rejected, with the
	 * wait that it would have had. By default its permits are taken and given back, and
	 * stay taken if another request came behind it meanwhile; a store that can takes
	 * nothing.
	 * @param key the key that is limited
	 * @param permits how many permits the request costs; 0 looks without taking
	 * @return the decision of all the policy's limits, without a delay
	 * @see RateLimitDecision#queueFull()
	 */
	default RateLimitDecision decideAtOnce(String key, long permits) {
		RateLimitDecision decision = decide(key, permits);
		if (decision.delayNanos() == 0) {
			return decision;
		}
		giveBack(key, permits, decision);
		return RateLimitDecisions.asQueueFull(decision, decision.delayNanos());
	}

	/**
	 * Gives back what a request was given and did not use. Never lets more through than
	 * the limits allow: what cannot be given back safely stays taken.
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
	 * Decides on a request as {@link #decide} does, without making the caller wait for
	 * the answer. By default it is {@link #decide} on the caller's thread, as suits a
	 * store in this process; a store that can be asked without a waiting thread overrides
	 * this.
	 * @param key the key that is limited
	 * @param permits how many permits the request costs; 0 looks without taking
	 * @return the decision, or the exception that {@link #decide} would throw
	 */
	default CompletionStage<RateLimitDecision> decideAsync(String key, long permits) {
		return Completed.of(() -> decide(key, permits));
	}

	/**
	 * Decides on a request that cannot wait as {@link #decideAtOnce} does, without making
	 * the caller wait for the answer.
	 * @param key the key that is limited
	 * @param permits how many permits the request costs; 0 looks without taking
	 * @return the decision, or the exception that {@link #decideAtOnce} would throw
	 * @see #decideAsync
	 */
	default CompletionStage<RateLimitDecision> decideAtOnceAsync(String key, long permits) {
		return Completed.of(() -> decideAtOnce(key, permits));
	}

	/**
	 * Gives back as {@link #giveBack} does, without making the caller wait for it.
	 * @param key the key that is limited
	 * @param permits how many permits the request cost
	 * @param given the decision that allowed it
	 * @return completes when that is done, or with the exception that {@link #giveBack}
	 * would throw
	 * @see #decideAsync
	 */
	default CompletionStage<Void> giveBackAsync(String key, long permits, RateLimitDecision given) {
		return Completed.of(() -> {
			giveBack(key, permits, given);
			return null;
		});
	}

	/**
	 * How many keys have a state.
	 * @return the number, approximately, or -1 if the store cannot tell cheaply
	 */
	default long keys() {
		return -1;
	}

	/**
	 * How many states were dropped while they still counted, because there was no room.
	 * Their callers then have all of their permits.
	 * @return the number since the start
	 */
	default long evictions() {
		return 0;
	}

	/**
	 * How many decisions the store could not make, so that something else made them.
	 * @return the number since the start
	 */
	default long fallbacks() {
		return 0;
	}

}
