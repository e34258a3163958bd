package io.github.ratelimit.redis;

import io.github.ratelimit.remote.FailureMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static io.github.ratelimit.store.SharedOverrides.ANY_VERSION;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What one instance writes is read by the others, wherever Redis keeps it.
 */
class SharedOverridesTests extends OneServer {

	private static void assertEachReadsTheOthersChanges(RedisConnectionFactory first, RedisConnectionFactory second) {
		try (TestStore one = new TestStore(first, TestStore.PATIENT, FailureMode.LOCAL);
				TestStore other = new TestStore(second, TestStore.PATIENT, FailureMode.LOCAL)) {
			for (int i = 0; i < 20; i += 2) {
				assertReads(one, other, "text" + i);
				assertReads(other, one, "text" + (i + 1));
			}
		}
	}

	private static void assertReads(TestStore writer, TestStore reader, String text) {
		long version = writer.overrides().write("api", text, null, ANY_VERSION, 10).version();
		assertThat(reader.overrides().read(ANY_VERSION).entries().get("api").text()).isEqualTo(text);
		assertThat(reader.overrides().read(version).entries()).isNull();
	}

	@ParameterizedTest
	@EnumSource
	void onACluster(ClientKind client) {
		TestCluster cluster = TestCluster.shared();
		assertEachReadsTheOthersChanges(client.cluster(cluster.nodes()), client.cluster(cluster.nodes()));
	}

	@Test
	void behindASentinel() {
		TestRedis replica = TestRedis.replicaOf(redis);
		TestRedis sentinel = TestRedis.sentinelOf(redis);
		try {
			assertEachReadsTheOthersChanges(ClientKind.LETTUCE.sentinel("master", sentinel.port()),
					ClientKind.LETTUCE.standalone(redis.port()));
		}
		finally {
			sentinel.close();
			replica.close();
		}
	}

	@Test
	void whoMayDoWhatIsDocumentedSharesThem() {
		redis.call("ACL", "SETUSER", "shop", "reset", "on", ">secret", "~test:*", "+eval", "+evalsha", "+time", "+get",
				"+set", "+del", "+hget", "+hset", "+hdel", "+hlen", "+hscan", "+ping", "+hello", "+client");
		redis.call("SET", "test:{overrides}", "x");
		redis.call("LPUSH", "test:{overrides}:version", "x");
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration("127.0.0.1", redis.port());
		configuration.setUsername("shop");
		configuration.setPassword("secret");
		assertEachReadsTheOthersChanges(ClientKind.LETTUCE.standalone(configuration),
				ClientKind.JEDIS.standalone(configuration));
	}

}
