package io.github.ratelimit.benchmarks.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;

/**
 * A script that is called over a plain Lettuce connection, in the way that costs least.
 */
final class PlainScript implements AutoCloseable {

	private final StatefulRedisConnection<byte[], byte[]> connection;

	private final ScriptOutputType type;

	private final String sha;

	private PlainScript(StatefulRedisConnection<byte[], byte[]> connection, String text, ScriptOutputType type) {
		this.connection = connection;
		this.type = type;
		this.sha = connection.sync().scriptLoad(text);
	}

	static PlainScript of(ServerAccess redis, String text, ScriptOutputType type) {
		return new PlainScript(redis.connection(), text, type);
	}

	static PlainScript ofFile(ServerAccess redis, String name) {
		try (InputStream file = Objects.requireNonNull(PlainScript.class.getResourceAsStream(name), name)) {
			return of(redis, new String(file.readAllBytes(), StandardCharsets.UTF_8), ScriptOutputType.MULTI);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	<T> T call(byte[][] keys, byte[]... arguments) throws Exception {
		return this.<T>start(keys, arguments).get(ServerAccess.TIMEOUT.toNanos(), TimeUnit.NANOSECONDS);
	}

	<T> RedisFuture<T> start(byte[][] keys, byte[]... arguments) {
		return this.connection.async().evalsha(this.sha, this.type, keys, arguments);
	}

	static byte[] bytes(Object value) {
		return value.toString().getBytes(StandardCharsets.UTF_8);
	}

	@Override
	public void close() {
		this.connection.close();
	}

}
