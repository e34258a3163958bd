package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.github.ratelimit.support.BackgroundThreads;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

/**
 * One server, and the connection to it that all threads share, with all settings of the
 * application's own Lettuce client. Lettuce would itself connect again, but after pauses
 * that grow up to half a minute.
 */
final class LettuceNode {

	/*
	 * An attempt that a server leaves hanging ends with the client's own time-out.
	 */
	private static final int MAX_ATTEMPTS = 64;

	/*
	 * A connection lingers at least so long, because not all calls wait equally long.
	 */
	private static final Duration LINGER = Duration.ofSeconds(1);

	private static final long CLOSING_MILLIS = 500;

	/*
	 * Each attempt has a thread of its own, because it has longer time-outs than a
	 * decision.
	 */
	private final ThreadPoolExecutor attempts = new ThreadPoolExecutor(0, Integer.MAX_VALUE, 1, TimeUnit.SECONDS,
			new SynchronousQueue<>(), new BackgroundThreads("ratelimit-redis-connect"));

	/**
	 * The server's address, or an empty text if it is the only one.
	 */
	final String name;

	private final Supplier<StatefulRedisConnection<byte[], byte[]>> opener;

	private final ScheduledExecutorService scheduler;

	private volatile @Nullable Connected current;

	private @Nullable CompletableFuture<Connected> connecting;

	private boolean closed;

	LettuceNode(String name, Supplier<StatefulRedisConnection<byte[], byte[]>> opener,
			ScheduledExecutorService scheduler) {
		this.name = name;
		this.opener = opener;
		this.scheduler = scheduler;
	}

	/**
	 * Returns the connection, if there is one that is not known to be broken.
	 */
	@Nullable Connected current() {
		Connected connected = this.current;
		return (connected != null && connected.connection.isOpen()) ? connected : null;
	}

	/**
	 * Begins to connect, once for all callers meanwhile.
	 */
	synchronized CompletableFuture<Connected> connect() {
		Connected connected = current();
		if (connected != null) {
			return CompletableFuture.completedFuture(connected);
		}
		if (this.closed) {
			return CompletableFuture.failedFuture(new RedisException("the store is closed"));
		}
		if (this.connecting == null || this.connecting.isDone()) {
			this.connecting = CompletableFuture.supplyAsync(() -> accept(new Connected(this.opener.get())),
					this.attempts);
		}
		return this.connecting;
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
	 * Stops waiting for an attempt: the next call begins another, because the server may
	 * have another address by then.
	 */
	synchronized void giveUp() {
		if (this.attempts.getActiveCount() < MAX_ATTEMPTS) {
			this.connecting = null;
		}
	}

	/**
	 * Uses a connection no more, because it is broken.
	 */
	void abandon(@Nullable Connected connected) {
		if (connected != null && forget(connected)) {
			connected.end();
		}
	}

	/**
	 * Sends no more calls over a connection. Those of other callers may still be answered
	 * for as long as they wait.
	 */
	void retire(@Nullable Connected connected, Duration timeout) {
		if (connected != null && forget(connected)) {
			Duration delay = (timeout.compareTo(LINGER) > 0) ? timeout : LINGER;
			later(connected::end, delay);
		}
	}

	private synchronized boolean forget(Connected connected) {
		if (connected != this.current) {
			return false;
		}
		this.current = null;
		return true;
	}

	/**
	 * Makes a new connection, because the way to the server leads elsewhere now.
	 */
	void renew() {
		retire(this.current, LINGER);
		connect();
	}

	/**
	 * Ends the connection once all have been answered, because the server has left.
	 */
	void leave() {
		later(() -> close(Set.of(this)), LINGER);
	}

	private void later(Runnable end, Duration delay) {
		if (this.scheduler.isShutdown()) {
			end.run();
		}
		else {
			this.scheduler.schedule(end, delay.toNanos(), TimeUnit.NANOSECONDS);
		}
	}

	/**
	 * Ends all connections, and waits a moment for attempts to connect: the client may be
	 * stopped next, would log one that has just begun as an error, and would never answer
	 * the others. Not for ever, because threads that have been stopped complete nothing.
	 */
	static void close(Collection<LettuceNode> nodes) {
		CompletableFuture.allOf(nodes.stream().map(LettuceNode::close).toArray(CompletableFuture[]::new))
			.handle((ended, failure) -> ended)
			.completeOnTimeout(null, CLOSING_MILLIS, TimeUnit.MILLISECONDS)
			.join();
		nodes.forEach((node) -> node.attempts.shutdownNow());
	}

	private CompletableFuture<Void> close() {
		Connected connected;
		CompletableFuture<?> attempt;
		synchronized (this) {
			connected = this.current;
			attempt = this.connecting;
			this.closed = true;
			this.current = null;
		}

		List<CompletableFuture<?>> ends = new ArrayList<>();
		if (connected != null) {
			ends.add(connected.end());
		}
		if (attempt != null) {
			ends.add(attempt);
		}
		return CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new));
	}

	/**
	 * A connection. It ends when it is lost: Lettuce would send again over its next one
	 * what was not answered over this, and what the server had run would be run twice.
	 */
	static final class Connected implements RedisConnectionStateListener {

		private final StatefulRedisConnection<byte[], byte[]> connection;

		/**
		 * The commands that all threads can send over it.
		 */
		final RedisClusterAsyncCommands<byte[], byte[]> commands;

		private final AtomicBoolean ended = new AtomicBoolean();

		private volatile int answers;

		Connected(StatefulRedisConnection<byte[], byte[]> connection) {
			this.connection = connection;
			this.commands = connection.async();
			connection.addListener(this);
		}

		/**
		 * Returns a number that is another one after each answer.
		 */
		int answers() {
			return this.answers;
		}

		/**
		 * Counts an answer. All come on the connection's own thread.
		 */
		void countAnswer() {
			this.answers++;
		}

		@Override
		public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
			end();
		}

		/*
		 * Ends the connection, unless the application's client has done so, which may
		 * have been stopped before.
		 */
		private CompletableFuture<Void> end() {
			boolean open = !(this.connection instanceof RedisChannelHandler<?, ?> handler && handler.isClosed());
			if (this.ended.compareAndSet(false, true) && open) {
				return this.connection.closeAsync();
			}
			return CompletableFuture.completedFuture(null);
		}

	}

}
