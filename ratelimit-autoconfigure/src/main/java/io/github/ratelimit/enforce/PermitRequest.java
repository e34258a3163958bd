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
		return this.limiter.equals(other.limiter) && this.key.equals(other.key);
	}

	PermitRequest asLook() {
		return new PermitRequest(this.limiter, this.key, 0);
	}

}
