package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.store.RateLimitStore;

/**
 * A store of the application's own, which allows everything.
 */
public final class FixedAnswerStore implements RateLimitStore, PolicyDecider {

	@Override
	public String name() {
		return "its own";
	}

	@Override
	public PolicyDecider open(RateLimitPolicy policy) {
		return this;
	}

	@Override
	public RateLimitDecision decide(String key, long permits) {
		return RateLimitDecisions.allowed(0, 1, 0, 0, 0);
	}

	@Override
	public void refund(String key, long permits, RateLimitDecision given) {
	}

	@Override
	public void reset(String key) {
	}

}
