package io.github.ratelimit.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Connections to single servers are the application's own in all but their number.
 */
class LettuceClusterClientTests {

	@Test
	void connectionsHaveTheApplicationsNameUntilTheStoreIsClosed() {
		int port = TestCluster.shared().nodes().get(0).port();
		LettuceConnectionFactory factory = new LettuceConnectionFactory(
				new RedisClusterConfiguration().clusterNode("127.0.0.1", port),
				LettuceClientConfiguration.builder().clientName("shop").build());
		factory.afterPropertiesSet();
		LettuceClusterClient client = new LettuceClusterClient(factory);
		try (StatefulRedisConnection<byte[], byte[]> connection = client.connect("127.0.0.1", port)) {
			assertThat(connection.sync().clientGetname()).asString().isEqualTo("shop");
		}
		client.close();
		assertThatThrownBy(() -> client.connect("127.0.0.1", port)).isInstanceOf(RedisException.class)
			.hasMessageContaining("closed");
		factory.destroy();
	}

}
