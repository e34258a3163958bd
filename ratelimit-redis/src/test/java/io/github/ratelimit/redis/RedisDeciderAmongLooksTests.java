package io.github.ratelimit.redis;

import io.github.ratelimit.remote.RemoteStore;

/**
 * What is decided does not depend on what else is decided in the same call.
 */
class RedisDeciderAmongLooksTests extends RedisDeciderTests {

	@Override
	RemoteStore view(RemoteStore store) {
		return new AmongLooks(store);
	}

	@Override
	protected int traces() {
		return 50;
	}

}
