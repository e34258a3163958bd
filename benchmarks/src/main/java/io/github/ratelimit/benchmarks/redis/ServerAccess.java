package io.github.ratelimit.benchmarks.redis;

import java.time.Duration;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The one Lettuce client whose connections, all with the same settings, the contenders
 * use, and a connection of our own to look at the server.
 */
final class ServerAccess implements AutoCloseable {

	/**
	 * How long anybody waits for an answer: long, on a machine that may be busy.
	 */
	static final Duration TIMEOUT = Duration.ofSeconds(20);

	private final RedisServer server;

	private final LettuceConnectionFactory factory;

	private final RedisCommands<String, String> commands;

	ServerAccess(RedisServer server) {
		this.server = server;
		this.factory = new LettuceConnectionFactory(new RedisStandaloneConfiguration(server.host(), server.port()),
				LettuceClientConfiguration.builder().commandTimeout(TIMEOUT).build());
		this.factory.afterPropertiesSet();
		this.factory.start();
		this.commands = client().connect().sync();
		if (this.commands.dbsize() > 0) {
			this.factory.destroy();
			throw new IllegalStateException(server.host() + ':' + server.port()
					+ " holds data, which measuring deletes: name a server that is empty");
		}
	}

	RedisServer server() {
		return this.server;
	}

	LettuceConnectionFactory factory() {
		return this.factory;
	}

	RedisClient client() {
		return (RedisClient) this.factory.getRequiredNativeClient();
	}

	StatefulRedisConnection<byte[], byte[]> connection() {
		return client().connect(ByteArrayCodec.INSTANCE);
	}

	void clear() {
		this.commands.flushdb();
	}

	ServerCounters counters() {
		return ServerCounters.of(this.commands.info("everything"));
	}

	@Override
	public void close() {
		clear();
		this.factory.destroy();
	}

}
