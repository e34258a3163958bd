package io.github.ratelimit.test;

import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.RateLimitStates;

class HashMapRateLimitStoreTests extends RateLimitStoreContract {

	@Override
	protected RateLimitStates open(RateLimitPolicy policy) {
		return new HashMapRateLimitStore(clock()).open(policy);
	}

}
