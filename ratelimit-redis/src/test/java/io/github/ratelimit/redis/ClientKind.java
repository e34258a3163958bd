package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.List;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The clients that an application may have, with the settings they have by themselves.
 * They stop at once.
 */
enum ClientKind {

	LETTUCE, JEDIS;

	private static final LettuceClientConfiguration AT_ONCE = LettuceClientConfiguration.builder()
		.shutdownTimeout(Duration.ZERO)
		.shutdownQuietPeriod(Duration.ZERO)
		.build();

	RedisConnectionFactory standalone(int port) {
		return standalone("127.0.0.1", port);
	}

	RedisConnectionFactory standalone(String host, int port) {
		return standalone(new RedisStandaloneConfiguration(host, port));
	}

	RedisConnectionFactory standalone(RedisStandaloneConfiguration configuration) {
		return (this == LETTUCE) ? started(new LettuceConnectionFactory(configuration, AT_ONCE))
				: started(new JedisConnectionFactory(configuration));
	}

	RedisConnectionFactory sentinel(String master, int port) {
		RedisSentinelConfiguration configuration = new RedisSentinelConfiguration().master(master)
			.sentinel("127.0.0.1", port);
		return (this == LETTUCE) ? started(new LettuceConnectionFactory(configuration, AT_ONCE))
				: started(new JedisConnectionFactory(configuration));
	}

	RedisConnectionFactory cluster(List<TestRedis> nodes) {
		return cluster(
				new RedisClusterConfiguration(nodes.stream().map((node) -> "127.0.0.1:" + node.port()).toList()));
	}

	RedisConnectionFactory cluster(RedisClusterConfiguration configuration) {
		return (this == LETTUCE) ? started(new LettuceConnectionFactory(configuration, AT_ONCE))
				: started(new JedisConnectionFactory(configuration));
	}

	private static RedisConnectionFactory started(LettuceConnectionFactory factory) {
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	private static RedisConnectionFactory started(JedisConnectionFactory factory) {
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	static void stop(RedisConnectionFactory factory) {
		if (factory instanceof LettuceConnectionFactory lettuce) {
			lettuce.destroy();
		}
		else if (factory instanceof JedisConnectionFactory jedis) {
			jedis.destroy();
		}
	}

}
