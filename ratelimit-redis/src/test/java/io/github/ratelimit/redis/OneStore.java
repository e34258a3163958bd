package io.github.ratelimit.redis;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;

/**
 * Tests that share one server, and one store that remembers no rejections.
 */
abstract class OneStore extends OneServer {

	@AutoClose
	static TestStore store;

	@BeforeAll
	static void openStore() {
		store = TestStore.of(redis, TestStore.FORGETFUL);
	}

}
