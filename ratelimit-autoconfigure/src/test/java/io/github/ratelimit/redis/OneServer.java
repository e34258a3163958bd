package io.github.ratelimit.redis;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/**
 * Tests that share one server. Each finds it empty.
 */
abstract class OneServer {

	static TestRedis redis;

	@BeforeAll
	static void startServer() {
		redis = TestRedis.start();
	}

	@AfterAll
	static void stopServer() {
		redis.close();
	}

	@BeforeEach
	void clean() {
		redis.call("FLUSHALL");
	}

}
