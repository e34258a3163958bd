package io.github.ratelimit.redis;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/**
 * Tests that share one server, and one store that remembers no rejections. Each finds the
 * server empty.
 */
abstract class OneServer {

	static TestRedis redis;

	static TestStore store;

	@BeforeAll
	static void start() {
		redis = TestRedis.start();
		store = TestStore.of(redis, TestStore.FORGETFUL);
	}

	@AfterAll
	static void stop() {
		store.close();
		redis.close();
	}

	@AfterEach
	void clean() {
		redis.call("FLUSHALL");
	}

}
