package io.github.ratelimit.redis;

import java.util.concurrent.atomic.AtomicInteger;

import io.github.ratelimit.resilience.FailureMode;
import io.github.ratelimit.store.SharedOverrides;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * With Jedis, instances share what was changed, and ask for it.
 */
class JedisOverridesTests {

	@Test
	void instancesReadEachOthersChangesAndListenToNothing() {
		try (TestRedis redis = TestRedis.start();
				TestStore one = new TestStore(ClientKind.JEDIS.standalone(redis.port()), TestStore.PATIENT,
						FailureMode.LOCAL);
				TestStore other = new TestStore(ClientKind.JEDIS.standalone(redis.port()), TestStore.PATIENT,
						FailureMode.LOCAL)) {
			AtomicInteger told = new AtomicInteger();
			other.overrides().listen(told::incrementAndGet);
			for (int i = 0; i < 20; i++) {
				one.overrides().write("api", "text" + i, null, SharedOverrides.ANY_VERSION, 10);
				SharedOverrides.Snapshot read = other.overrides().read(SharedOverrides.ANY_VERSION);
				assertThat(read).isNotNull();
				assertThat(read.entries().get("api").text()).isEqualTo("text" + i);
			}
			assertThat(told).hasValue(0);
			assertThat(redis.call("CLIENT", "LIST", "TYPE", "pubsub")).doesNotContain("sub=1");
		}
	}

}
