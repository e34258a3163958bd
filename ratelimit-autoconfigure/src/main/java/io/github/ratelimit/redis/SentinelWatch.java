package io.github.ratelimit.redis;

import java.net.SocketAddress;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.RedisClient;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Asks a Sentinel once a second for the master. A former master that is well takes writes
 * for about ten seconds after a failover by hand, and these are lost.
 */
final class SentinelWatch {

	private static final long TIMEOUT_MILLIS = 500;

	private final LettuceConnectionFactory factory;

	private final String master;

	private final Runnable onChange;

	private volatile @Nullable StatefulRedisSentinelConnection<String, String> connection;

	private @Nullable SocketAddress address;

	/* Waits for a connection, which a client that is stopped next never has. */
	private @Nullable Thread connecting;

	private volatile boolean closed;

	SentinelWatch(LettuceConnectionFactory factory, String master, Runnable onChange) {
		this.factory = factory;
		this.master = master;
		this.onChange = onChange;
	}

	void begin(ScheduledExecutorService scheduler) {
		scheduler.scheduleWithFixedDelay(this::look, 0, 1, TimeUnit.SECONDS);
	}

	/*
	 * Over a new connection each time that there is no answer, because it may lead to
	 * another Sentinel.
	 */
	private void look() {
		try {
			SocketAddress now = connection().async()
				.getMasterAddrByName(this.master)
				.toCompletableFuture()
				.get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
			if (now != null && this.address != null && !now.equals(this.address)) {
				this.onChange.run();
			}
			this.address = (now != null) ? now : this.address;
		}
		catch (Exception ex) {
			disconnect();
			if (ex instanceof InterruptedException) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private StatefulRedisSentinelConnection<String, String> connection() {
		StatefulRedisSentinelConnection<String, String> open = this.connection;
		if (open == null || !open.isOpen()) {
			disconnect();
			open = connect();
			this.connection = open;
			if (this.closed) {
				disconnect();
			}
		}
		return open;
	}

	private StatefulRedisSentinelConnection<String, String> connect() {
		connecting(Thread.currentThread());
		try {
			return ((RedisClient) this.factory.getRequiredNativeClient()).connectSentinel();
		}
		finally {
			connecting(null);
		}
	}

	private synchronized void connecting(@Nullable Thread thread) {
		this.connecting = thread;
		endIfClosed();
	}

	private synchronized void endIfClosed() {
		if (this.closed && this.connecting != null) {
			this.connecting.interrupt();
		}
	}

	private void disconnect() {
		StatefulRedisSentinelConnection<String, String> open = this.connection;
		this.connection = null;
		if (open != null) {
			open.closeAsync();
		}
	}

	/**
	 * Ends the connection. The scheduler, which ends too, looks no more.
	 */
	void close() {
		this.closed = true;
		endIfClosed();
		disconnect();
	}

}
