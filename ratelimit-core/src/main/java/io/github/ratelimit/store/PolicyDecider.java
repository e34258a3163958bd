package io.github.ratelimit.store;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import org.jspecify.annotations.Nullable;

/**
 * Decides for one policy, on the states of its keys. Every call is atomic, for any number
 * of threads.
 *
 * @since 0.1.0
 */
public interface PolicyDecider {

	/**
	 * Decides on a request. A rejected request changes nothing, unless a limit counts
	 * rejected requests, or the policy {@link RateLimitPolicy#ban() bans} keys: then it
	 * counts towards a ban, and requests of a banned key change nothing.
	 * @param key the key that is limited
	 * @param permits how many permits the request costs; 0 looks without taking
	 * @return the decision of all the policy's limits
	 */
	RateLimitDecision decide(String key, long permits);

	/**
	 * Decides on a request that cannot wait: one that would have to is rejected, with the
	 * wait that it would have had. By default its permits are taken and refunded, and
	 * stay taken if another request came behind it meanwhile; a store that can takes
	 * nothing.
	 * @param key the key that is limited
	 * @param permits how many permits the request costs; 0 looks without taking
	 * @return the decision of all the policy's limits, without a delay
	 * @see RateLimitDecision#queueFull()
	 */
	default RateLimitDecision decideWithoutDelay(String key, long permits) {
		RateLimitDecision decision = decide(key, permits);
		if (decision.delayNanos() == 0) {
			return decision;
		}
		refund(key, permits, decision);
		return RateLimitDecisions.asQueueFull(decision, decision.delayNanos());
	}

	/**
	 * Refunds what a request was given and did not use. Never lets more through than the
	 * limits allow: what cannot be refunded safely stays taken.
	 * @param key the key that is limited
	 * @param permits how many permits the request cost
	 * @param given the decision that allowed it
	 */
	void refund(String key, long permits, RateLimitDecision given);

	/**
	 * Settles a request that was given permits and turned out to use another number of
	 * them. Of fewer, the rest is refunded as by {@link #refund}. Of more, the rest is
	 * taken now, even if the limits do not have it: the key then has a debt, of at most
	 * one more capacity, which later requests wait for.
	 * <p>
	 * By default what is beyond the permits that the limits still have is not taken, so
	 * that there is no debt. A store is asked for debts only of policies that are
	 * {@link RateLimitPolicy#charge() charged by outcome}.
	 * <p>
	 * A store that cannot be asked throws an exception. The request is then charged what
	 * it was given.
	 * @param key the key that is limited
	 * @param reserved how many permits the request was given
	 * @param used how many it has used, from 0
	 * @param given the decision that allowed it
	 * @return what the key had left before and after the rest was taken, for a policy
	 * that {@link RateLimitPolicy#warnAt() warns}; {@code null} of any other, if nothing
	 * was taken, and by default, so that nobody is told of what is taken so
	 */
	default @Nullable LateCharge settle(String key, long reserved, long used, RateLimitDecision given) {
		if (used < reserved) {
			refund(key, reserved - used, given);
			return null;
		}

		long rest = used - reserved;
		while (rest > 0) {
			long most = Math.min(rest, decide(key, 0).remaining());
			if (most <= 0 || decide(key, most).allowed()) {
				return null;
			}
		}
		return null;
	}

	/**
	 * Forgets a key, which then has all of its permits.
	 * @param key the key to forget
	 * @throws IllegalStateException if the store cannot be asked
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
		return completed(() -> decide(key, permits));
	}

	/**
	 * Settles a request as {@link #settle} does, without making the caller wait for it.
	 * @param key the key that is limited
	 * @param reserved how many permits the request was given
	 * @param used how many it has used, from 0
	 * @param given the decision that allowed it
	 * @return completes when that is done with what {@link #settle} returns, or with the
	 * exception that it would throw
	 * @see #decideAsync
	 */
	default CompletionStage<@Nullable LateCharge> settleAsync(String key, long reserved, long used,
			RateLimitDecision given) {
		return completed(() -> settle(key, reserved, used, given));
	}

	/**
	 * Opens the same keys under other limits, for a policy whose limits change, or differ
	 * from key to key. What a key has taken stays taken, whichever limits decide on it
	 * next: limit by limit, up to the limit's capacity, where the algorithm is the same;
	 * a limit of another algorithm begins anew. A decision of one can be refunded to the
	 * other, which never lets more through. Bans, and the rejections that lead to them,
	 * are counted apart in {@link io.github.ratelimit.RateLimitMode#SHADOW shadow}, so
	 * that they keep nobody out later.
	 * @param policy the same policy with other limits, or in another mode
	 * @return states of the same keys; {@code null}, the default, for a store whose keys
	 * begin anew when their limits change
	 */
	default @Nullable PolicyDecider under(RateLimitPolicy policy) {
		return null;
	}

	/**
	 * Whether decisions are made in this process, so that no caller waits for one: the
	 * asynchronous methods are then called only where their answer is needed as a stage.
	 * @return {@code false}, the default, for a store that may be outside
	 */
	default boolean isInProcess() {
		return false;
	}

	/**
	 * Whether keys are banned as the policy says. If a policy has a
	 * {@link RateLimitPolicy#ban() ban} and its store does not ban, a warning is logged.
	 * @return {@code false}, the default, for a store without bans
	 */
	default boolean bans() {
		return false;
	}

	/**
	 * Whether requests wait for permits that are reserved for them, as the policy says.
	 * If a policy has a {@link RateLimitPolicy#maxWait() longest wait} and its store
	 * reserves nothing, a warning is logged.
	 * @return {@code false}, the default, for a store in which only leaky buckets delay
	 */
	default boolean reserves() {
		return false;
	}

	/**
	 * Returns how many keys have a state.
	 * @return the number, approximately, or -1 if the store cannot tell cheaply
	 */
	default long keys() {
		return -1;
	}

	/**
	 * Returns how many states were dropped while they still counted, because there was no
	 * room. Their callers then have all of their permits.
	 * @return the number since the start
	 */
	default long evictions() {
		return 0;
	}

	/**
	 * Returns how many decisions the store could not make, so that something else made
	 * them.
	 * @return the number since the start
	 */
	default long fallbacks() {
		return 0;
	}

	private static <T extends @Nullable Object> CompletionStage<T> completed(Supplier<T> call) {
		try {
			return CompletableFuture.completedStage(call.get());
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedStage(ex);
		}
	}

}
