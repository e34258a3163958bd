package io.github.ratelimit.redis;

import java.net.SocketAddress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.github.ratelimit.BackgroundThreads;
import io.lettuce.core.RedisClient;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Asks a Sentinel once a second for the master, on a thread of its own, because a client
 * that is stopped never ends an attempt to connect. A former master that is well takes
 * writes for about ten seconds after a failover by hand, and these are lost.
 */
final class SentinelWatch {

	private static final long PAUSE_MILLIS = 1000;

	private static final long TIMEOUT_MILLIS = 500;

	private final LettuceConnectionFactory factory;

	private final String master;

	private final Runnable onChange;

	private final Thread thread = new BackgroundThreads("ratelimit-redis-watch").newThread(this::watch);

	private final CountDownLatch closed = new CountDownLatch(1);

	private @Nullable StatefulRedisSentinelConnection<String, String> connection;

	private @Nullable SocketAddress address;

	SentinelWatch(LettuceConnectionFactory factory, @Nullable String master, Runnable onChange) {
		this.factory = factory;
		this.master = String.valueOf(master);
		this.onChange = onChange;
	}

	void begin() {
		this.thread.start();
	}

	private void watch() {
		try {
			do {
				look();
			}
			while (!this.closed.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS));
		}
		catch (InterruptedException ex) {
			// It is closed, and waits no longer for a Sentinel.
		}
		finally {
			disconnect();
		}
	}

	/*
	 * Over a new connection each time that there is no answer, because it may lead to
	 * another Sentinel.
	 */
	private void look() throws InterruptedException {
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
		catch (ExecutionException | TimeoutException | RuntimeException ex) {
			disconnect();
		}
	}

	private StatefulRedisSentinelConnection<String, String> connection() {
		StatefulRedisSentinelConnection<String, String> open = this.connection;
		if (open == null || !open.isOpen()) {
			disconnect();
			open = ((RedisClient) this.factory.getRequiredNativeClient()).connectSentinel();
			this.connection = open;
		}
		return open;
	}

	private void disconnect() {
		if (this.connection != null) {
			this.connection.closeAsync();
			this.connection = null;
		}
	}

	void close() {
		this.closed.countDown();
		this.thread.interrupt();
	}

}
