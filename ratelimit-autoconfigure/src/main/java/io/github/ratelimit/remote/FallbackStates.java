package io.github.ratelimit.remote;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitDecisions;

/**
 * Decides without any state in place of a store that cannot: allows all requests, or
 * rejects all.
 */
final class FallbackStates implements PolicyDecider {

	private final RateLimitPolicy policy;

	private final RateLimitClock clock;

	private final boolean allow;

	private final long retryAfterNanos;

	private FallbackStates(RateLimitPolicy policy, RateLimitClock clock, boolean allow, long retryAfterNanos) {
		this.policy = policy;
		this.clock = clock;
		this.allow = allow;
		this.retryAfterNanos = retryAfterNanos;
	}

	static FallbackStates allowing(RateLimitPolicy policy, RateLimitClock clock) {
		return new FallbackStates(policy, clock, true, 0);
	}

	static FallbackStates rejecting(RateLimitPolicy policy, RateLimitClock clock, long retryAfterNanos) {
		return new FallbackStates(policy, clock, false, retryAfterNanos);
	}

	@Override
	public RateLimitDecision decide(String key, long permits) {
		long now = this.clock.nanos();
		if (!this.allow) {
			return RateLimitDecisions.unavailable(now, this.retryAfterNanos);
		}
		return RateLimitDecisions.combined(this.policy.limits()
			.stream()
			.map((limit) -> RateLimitDecisions.allowed(now, limit.capacity(), 0, 0, 0))
			.toArray(RateLimitDecision[]::new));
	}

	@Override
	public void refund(String key, long permits, RateLimitDecision given) {
	}

	@Override
	public void settle(String key, long reserved, long used, RateLimitDecision given) {
	}

	@Override
	public void reset(String key) {
	}

}
