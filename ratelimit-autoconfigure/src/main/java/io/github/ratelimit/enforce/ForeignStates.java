package io.github.ratelimit.enforce;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.store.RateLimitStates;

/**
 * The states behind a limiter of another implementation, such as a test double.
 */
record ForeignStates(RateLimiter limiter) implements RateLimitStates {

	@Override
	public RateLimitDecision decide(String key, long permits) {
		return this.limiter.decide(key, permits);
	}

	@Override
	public RateLimitDecision decideAtOnce(String key, long permits) {
		return this.limiter.decideAtOnce(key, permits);
	}

	@Override
	public void giveBack(String key, long permits, RateLimitDecision given) {
		this.limiter.giveBack(key, permits, given);
	}

	@Override
	public void reset(String key) {
		this.limiter.reset(key);
	}

}
