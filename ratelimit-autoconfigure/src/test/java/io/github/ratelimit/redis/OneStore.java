package io.github.ratelimit.redis;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * Tests that share one server, and one store that remembers no rejections.
 */
abstract class OneStore extends OneServer {

	static TestStore store;

	@BeforeAll
	static void openStore() {
		store = TestStore.of(redis, TestStore.FORGETFUL);
	}

	@AfterAll
	static void closeStore() {
		store.close();
	}

}
