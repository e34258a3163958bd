package io.github.ratelimit.redis;

/**
 * What is decided does not depend on the client that asks.
 */
class JedisDeciderTests extends RedisDeciderTests {

	@Override
	ClientKind client() {
		return ClientKind.JEDIS;
	}

	@Override
	protected int traces() {
		return 50;
	}

}
