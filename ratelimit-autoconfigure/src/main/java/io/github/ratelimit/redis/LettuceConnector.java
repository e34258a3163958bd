package io.github.ratelimit.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.ratelimit.BackgroundThreads;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Keeps a connection of the application's own Lettuce client, with all its settings.
 * Lettuce would itself connect again, but after pauses that grow up to half a minute.
 */
final class LettuceConnector {

	private static final BackgroundThreads THREADS = new BackgroundThreads("ratelimit-redis-connect");

	/*
	 * An attempt that a server leaves hanging ends with the client's own time-out.
	 */
	private static final int MOST_ATTEMPTS = 64;

	private final LettuceConnectionFactory factory;

	private volatile @Nullable Connected current;

	private @Nullable CompletableFuture<Connected> connecting;

	private int attempts;

	private boolean closed;

	LettuceConnector(LettuceConnectionFactory factory) {
		this.factory = factory;
	}

	/**
	 * The connection, if there is one that is not known to be broken.
	 */
	@Nullable Connected current() {
		Connected connected = this.current;
		return (connected != null && connected.connection().isOpen()) ? connected : null;
	}

	/**
	 * Begins to connect, once for all who ask meanwhile, and on a thread of its own,
	 * because it has longer time-outs than a decision.
	 */
	synchronized CompletableFuture<Connected> connect() {
		Connected connected = current();
		if (connected != null) {
			return CompletableFuture.completedFuture(connected);
		}
		if (this.connecting == null || this.connecting.isDone()) {
			abandon(this.current);
			this.attempts++;
			this.connecting = CompletableFuture.supplyAsync(this::attempt, (task) -> THREADS.newThread(task).start());
		}
		return this.connecting;
	}

	/**
	 * Hopes no longer that an attempt succeeds soon: whoever comes next begins another,
	 * because the way to the server may lead elsewhere by then.
	 */
	synchronized void giveUp(CompletableFuture<Connected> attempt) {
		if (attempt == this.connecting && this.attempts < MOST_ATTEMPTS) {
			this.connecting = null;
		}
	}

	private Connected attempt() {
		try {
			return accept(open());
		}
		finally {
			ended();
		}
	}

	private synchronized void ended() {
		this.attempts--;
	}

	private Connected open() {
		AbstractRedisClient client = this.factory.getRequiredNativeClient();
		if (client instanceof RedisClusterClient cluster) {
			StatefulRedisClusterConnection<byte[], byte[]> connection = cluster.connect(ByteArrayCodec.INSTANCE);
			return new Connected(connection, connection.async(), new AtomicBoolean());
		}
		StatefulRedisConnection<byte[], byte[]> connection = ((RedisClient) client).connect(ByteArrayCodec.INSTANCE);
		Connected connected = new Connected(connection, connection.async(), new AtomicBoolean());
		connection.addListener(new NoReplay(connected));
		return connected;
	}

	private synchronized Connected accept(Connected connected) {
		Connected earlier = current();
		if (this.closed || earlier != null) {
			connected.end();
			return (earlier != null) ? earlier : connected;
		}
		abandon(this.current);
		this.current = connected;
		return connected;
	}

	/**
	 * Uses a connection no more.
	 */
	synchronized void abandon(@Nullable Connected connected) {
		if (connected != null && connected == this.current) {
			this.current = null;
			connected.end();
		}
	}

	/*
	 * The application's client may have been stopped before, and all connections with it.
	 */
	synchronized void close() {
		this.closed = true;
		Connected connected = current();
		if (connected != null) {
			this.current = null;
			connected.ended().set(true);
			connected.connection().close();
		}
	}

	/**
	 * A connection.
	 *
	 * @param connection the connection
	 * @param commands what can be asked over it, by all threads
	 * @param ended whether it is used no more
	 */
	record Connected(StatefulConnection<byte[], byte[]> connection, RedisClusterAsyncCommands<byte[], byte[]> commands,
			AtomicBoolean ended) {

		void end() {
			if (this.ended.compareAndSet(false, true)) {
				this.connection.closeAsync();
			}
		}

	}

	/**
	 * Ends a connection that was lost. Lettuce would send again over its next one what
	 * was not answered over this, and what the server had run would be run twice.
	 */
	private record NoReplay(Connected connected) implements RedisConnectionStateListener {

		@Override
		public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
			this.connected.end();
		}

	}

}
