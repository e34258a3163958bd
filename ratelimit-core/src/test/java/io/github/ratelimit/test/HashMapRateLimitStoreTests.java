package io.github.ratelimit.test;

import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;

class HashMapRateLimitStoreTests extends RateLimitStoreContract {

	@Override
	protected PolicyDecider open(RateLimitPolicy policy) {
		return new HashMapRateLimitStore(clock()).open(policy);
	}

	@Override
	protected boolean reserves() {
		return true;
	}

}
