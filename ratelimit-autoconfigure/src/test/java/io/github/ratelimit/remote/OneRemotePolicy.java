package io.github.ratelimit.remote;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.store.PolicyDecider;

/**
 * A store over a network, of which a test brings the states of one policy.
 */
record OneRemotePolicy(PolicyDecider states) implements OneByOneStore {

	/**
	 * Wraps the store.
	 * @param local decides on failures, and has the memory
	 */
	ResilientStore resilient(ResilienceSettings settings, FailureMode mode, LocalRateLimitStore local,
			RateLimitClock clock) {
		return new ResilientStore(this, settings, (policy) -> mode, local::open, local.memories(), clock);
	}

	@Override
	public String name() {
		return "redis";
	}

	@Override
	public String displayName() {
		return "Redis";
	}

	@Override
	public PolicyDecider open(RateLimitPolicy policy) {
		return this.states;
	}

	@Override
	public Check check() {
		throw new UnsupportedOperationException();
	}

}
