package io.github.ratelimit.enforce;

import io.github.ratelimit.RateLimiter;

/**
 * What a request asks of one policy.
 *
 * @param limiter enforces the policy
 * @param key who asks
 * @param permits how many permits the request costs
 * @since 0.1.0
 */
public record PermitRequest(StoreRateLimiter limiter, String key, long permits) {

	/**
	 * Creates what a request asks of one policy.
	 * @param limiter enforces the policy
	 * @param key who asks
	 * @param permits how many permits the request costs
	 * @return the question
	 */
	public static PermitRequest of(RateLimiter limiter, String key, long permits) {
		return new PermitRequest(StoreRateLimiter.of(limiter), key, permits);
	}

	boolean isSameState(PermitRequest other) {
		return this.key.equals(other.key) && this.limiter.equals(other.limiter);
	}

	boolean isOfSamePolicy(PermitRequest other) {
		return this.limiter.equals(other.limiter);
	}

	/**
	 * Whether the policy cannot delay the request, and has a store that answers for one
	 * policy at a time.
	 */
	boolean isPlain() {
		return this.limiter.longestDelayNanos == 0 && this.limiter.sessions == null;
	}

	/**
	 * Asks the policy.
	 * @param atOnce whether it must reject what it would otherwise delay
	 */
	Acquisition.Entry ask(boolean atOnce) {
		return new Acquisition.Entry(this, this.limiter.decide(this.key, this.permits, atOnce));
	}

	PermitRequest asLook() {
		return new PermitRequest(this.limiter, this.key, 0);
	}

}
