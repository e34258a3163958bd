package io.github.ratelimit.redis;

import org.junit.jupiter.api.Tag;

/**
 * What goes wrong hurts callers no more with the other client.
 */
@Tag("faults")
class JedisFaultTests extends RedisFaultTests {

	@Override
	ClientKind client() {
		return ClientKind.JEDIS;
	}

}
