package io.github.ratelimit.store;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

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
	 * {@code null} if they were not asked, or what they gave is refunded
	 */
	List<@Nullable RateLimitDecision> decide(List<Question> questions);

	/**
	 * Refunds what the request was given and did not use, as {@link PolicyDecider#refund}
	 * does.
	 * @param given the questions that were allowed, in order; the last is refunded first
	 */
	void refund(List<Given> given);

	/**
	 * Decides on a request as {@link #decide} does, without making the caller wait for
	 * the answer. By default it is {@link #decide} on the caller's thread.
	 * @param questions a question for each policy, as of {@link #decide}
	 * @return the answers, or the exception that {@link #decide} would throw. What comes
	 * next must not hold the thread that completes it
	 * @see #isBlocking()
	 */
	default CompletionStage<List<@Nullable RateLimitDecision>> decideAsync(List<Question> questions) {
		return CompletableFuture.completedFuture(questions).thenApply(this::decide);
	}

	/**
	 * Refunds as {@link #refund} does, without making the caller wait for it. By default
	 * it is {@link #refund} on the caller's thread.
	 * @param given the questions that were allowed, in order
	 * @return completes when that is done, or with the exception that {@link #refund}
	 * would throw
	 */
	default CompletionStage<Void> refundAsync(List<Given> given) {
		return CompletableFuture.completedFuture(given).thenAccept(this::refund);
	}

	/**
	 * Whether the asynchronous methods may make their caller wait, so that one that must
	 * not wait asks on another thread.
	 * @return {@code true}, the default, unless both are overridden
	 */
	default boolean isBlocking() {
		return true;
	}

	/**
	 * Begins the session of a call within the request, which may make any number of them.
	 * @return a session with a deadline of its own; waits without an answer count for the
	 * whole request
	 */
	RateLimitSession call();

	/**
	 * A question to one policy.
	 */
	interface Question {

		/**
		 * What decides for the policy.
		 * @return the same object that the store has opened
		 */
		PolicyDecider decider();

		/**
		 * Who asks.
		 * @return the key that is limited
		 */
		String key();

		/**
		 * How many permits the request costs.
		 * @return the number; 0 looks without taking
		 */
		long permits();

		/**
		 * Whether the request cannot wait.
		 * @return {@code true} to ask as {@link PolicyDecider#decideWithoutDelay} does
		 */
		boolean withoutDelay();

		/**
		 * Whether the policy would reject the request, as far as a look tells.
		 * @param look what the policy has answered to a look
		 * @return {@code true}, by default, if there are too few permits; for a request
		 * that may wait for some, only if it would have to wait too long
		 */
		default boolean lacksPermits(RateLimitDecision look) {
			return look.remaining() < permits();
		}

		/**
		 * Creates a question.
		 * @param decider decides for the policy, as the store has opened it
		 * @param key the key that is limited
		 * @param permits how many permits the request costs; 0 looks without taking
		 * @param withoutDelay whether the request cannot wait
		 * @return the question
		 */
		static Question of(PolicyDecider decider, String key, long permits, boolean withoutDelay) {
			return new StoreQuestion(decider, key, permits, withoutDelay);
		}

	}

	/**
	 * The permits that one policy has given.
	 *
	 * @param decider decides for the policy, as the store has opened it
	 * @param key the key that is limited
	 * @param permits how many permits the request cost
	 * @param decision the decision that allowed it
	 */
	record Given(PolicyDecider decider, String key, long permits, RateLimitDecision decision) {
	}

}
