package io.github.ratelimit.redis;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/**
 * Tests that share one server. Each finds it empty.
 */
abstract class OneServer {

	@AutoClose
	static TestRedis redis;

	@BeforeAll
	static void startServer() {
		redis = TestRedis.start();
	}

	@BeforeEach
	void clean() {
		redis.call("FLUSHALL");
	}

}
