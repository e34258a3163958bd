package io.github.ratelimit.request;

import java.util.function.UnaryOperator;

import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitStore;

/**
 * A store that decides as another does, but for what a test changes.
 *
 * @param store the other store
 * @param change wraps what decides for a policy
 */
record WrappedStore(RateLimitStore store, UnaryOperator<PolicyDecider> change) implements RateLimitStore {

	@Override
	public String name() {
		return "wrapped";
	}

	@Override
	public PolicyDecider open(RateLimitPolicy policy) {
		return this.change.apply(this.store.open(policy));
	}

}
