package io.github.ratelimit.redis;

import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * A server of another version decides as every store must, where one is named.
 */
@EnabledIfEnvironmentVariable(named = NamedServerTests.SERVER, matches = ".+:\\d+",
		disabledReason = "there is no other server than the one that comes with the tests")
class NamedServerTests extends RedisDeciderTests {

	static final String SERVER = "RATELIMIT_TEST_REDIS";

	@Override
	String server() {
		return System.getenv(SERVER);
	}

}
