package io.github.ratelimit.redis;

import org.junit.jupiter.api.AfterAll;

/**
 * The server that comes with the tests decides as every store must.
 */
class RedisStatesTests extends RedisStatesContract {

	private final TestRedis redis = TestRedis.start();

	@Override
	String server() {
		return "127.0.0.1:" + this.redis.port();
	}

	@AfterAll
	void stop() {
		this.redis.close();
	}

}
