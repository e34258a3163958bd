package io.github.ratelimit.benchmarks.redis;

import io.github.ratelimit.redis.TestRedis;
import org.jspecify.annotations.Nullable;

/**
 * The Redis server that is asked: one of our own on the loopback interface, or the one
 * that an environment variable names.
 */
public final class RedisServer implements AutoCloseable {

	/**
	 * The variable: host and port, with a colon between.
	 */
	static final String VARIABLE = "RATELIMIT_TEST_REDIS";

	private final String host;

	private final int port;

	private final @Nullable TestRedis own;

	private RedisServer(String host, int port, @Nullable TestRedis own) {
		this.host = host;
		this.port = port;
		this.own = own;
	}

	static RedisServer open() {
		String named = System.getenv(VARIABLE);
		if (named == null || named.isEmpty()) {
			return start();
		}
		int colon = named.lastIndexOf(':');
		return new RedisServer(named.substring(0, colon), Integer.parseInt(named.substring(colon + 1)), null);
	}

	/**
	 * Starts a server of our own.
	 * @return the server, which has no data
	 */
	public static RedisServer start() {
		TestRedis own = TestRedis.start();
		return new RedisServer("127.0.0.1", own.port(), own);
	}

	String host() {
		return this.host;
	}

	/**
	 * Returns where it listens.
	 * @return the port
	 */
	public int port() {
		return this.port;
	}

	@Override
	public void close() {
		if (this.own != null) {
			this.own.close();
		}
	}

}
