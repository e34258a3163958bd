package io.github.ratelimit;

/**
 * What a request asks of one policy.
 *
 * @param limiter enforces the policy
 * @param key who asks
 * @param permits how many permits the request costs
 */
public record PermitRequest(PolicyLimiter limiter, String key, long permits) {

	boolean isSameState(PermitRequest other) {
		return this.limiter == other.limiter && this.key.equals(other.key);
	}

	PermitRequest asLook() {
		return new PermitRequest(this.limiter, this.key, 0);
	}

}
