package io.github.ratelimit.policy;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.store.RateLimitStore;

/**
 * Keeps nothing and lets everything pass, where rate limits are turned off.
 */
final class UnlimitedStore implements RateLimitStore, PolicyDecider {

	private final RateLimitClock clock;

	UnlimitedStore(RateLimitClock clock) {
		this.clock = clock;
	}

	@Override
	public String name() {
		return "none";
	}

	@Override
	public PolicyDecider open(RateLimitPolicy policy) {
		return this;
	}

	@Override
	public RateLimitDecision decide(String key, long permits) {
		return RateLimitDecisions.allowed(this.clock.nanos(), Long.MAX_VALUE, 0, 0, 0);
	}

	@Override
	public void refund(String key, long permits, RateLimitDecision given) {
	}

	@Override
	public void reset(String key) {
	}

}
