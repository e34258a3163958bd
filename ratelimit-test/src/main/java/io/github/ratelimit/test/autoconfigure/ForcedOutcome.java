package io.github.ratelimit.test.autoconfigure;

import java.util.function.Function;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.RateLimitDecisions;

/**
 * What a store is made to answer.
 *
 * @param outcome the outcome of the answer
 * @param nanos how long a delay, a ban, or the time until the next try is
 */
record ForcedOutcome(RateLimitOutcome outcome, long nanos) {

	/**
	 * Decides as forced.
	 * @param policy the policy that is asked
	 * @param now the time of the decision
	 * @param withoutDelay whether the request cannot wait
	 * @return the decision
	 */
	RateLimitDecision decide(RateLimitPolicy policy, long now, boolean withoutDelay) {
		return switch (this.outcome) {
			case ALLOWED -> each(policy, (limit) -> allowed(limit, now, 0));
			case DELAYED ->
				(withoutDelay && policy.withoutPlans().delays()) ? queueFull(policy, now) : delayed(policy, now);
			case QUEUE_FULL -> policy.withoutPlans().delays() ? queueFull(policy, now) : rejected(policy, now);
			case BANNED -> RateLimitDecisions.banned(now, this.nanos);
			case UNAVAILABLE -> RateLimitDecisions.unavailable(now, this.nanos);
			default -> rejected(policy, now);
		};
	}

	private RateLimitDecision rejected(RateLimitPolicy policy, long now) {
		return each(policy, (limit) -> RateLimitDecisions.rejected(now, 0, this.nanos, this.nanos, this.nanos));
	}

	private RateLimitDecision queueFull(RateLimitPolicy policy, long now) {
		return RateLimitDecisions.asQueueFull(delayed(policy, now), this.nanos);
	}

	private RateLimitDecision delayed(RateLimitPolicy policy, long now) {
		boolean reserved = !policy.maxWait().isZero();
		return each(policy, (limit) -> {
			long delay = (reserved || limit.delays()) ? this.nanos : 0;
			return allowed(limit, now, delay);
		});
	}

	private static RateLimitDecision allowed(RateLimit limit, long now, long delay) {
		return RateLimitDecisions.allowed(now, limit.capacity(), delay, 0, 0);
	}

	private static RateLimitDecision each(RateLimitPolicy policy, Function<RateLimit, RateLimitDecision> decision) {
		return RateLimitDecisions.combined(policy.limits().stream().map(decision).toArray(RateLimitDecision[]::new));
	}

}
