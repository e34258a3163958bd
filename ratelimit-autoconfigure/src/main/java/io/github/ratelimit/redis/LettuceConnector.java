package io.github.ratelimit.redis;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.github.ratelimit.BackgroundThreads;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a connection to one server, with all settings of the application's own Lettuce
 * client. Lettuce would itself connect again, but after pauses that grow up to half a
 * minute.
 */
final class LettuceConnector {

	private static final BackgroundThreads THREADS = new BackgroundThreads("ratelimit-redis-connect");

	/*
	 * An attempt that a server leaves hanging ends with the client's own time-out.
	 */
	private static final int MOST_ATTEMPTS = 64;

	private static final long CLOSING_MILLIS = 500;

	private final Supplier<StatefulRedisConnection<byte[], byte[]>> opener;

	private volatile @Nullable Connected current;

	private @Nullable CompletableFuture<Connected> connecting;

	private final Set<Thread> attempts = new HashSet<>();

	private volatile boolean closed;

	LettuceConnector(Supplier<StatefulRedisConnection<byte[], byte[]>> opener) {
		this.opener = opener;
	}

	/**
	 * The connection, if there is one that is not known to be broken.
	 */
	@Nullable Connected current() {
		Connected connected = this.current;
		return (connected != null && connected.connection().isOpen()) ? connected : null;
	}

	/**
	 * Begins to connect, once for all callers meanwhile, and on a thread of its own,
	 * because it has longer time-outs than a decision.
	 */
	synchronized CompletableFuture<Connected> connect() {
		Connected connected = current();
		if (connected != null) {
			return CompletableFuture.completedFuture(connected);
		}
		if (this.closed) {
			return CompletableFuture.failedFuture(closed());
		}
		if (this.connecting == null || this.connecting.isDone()) {
			abandon(this.current);
			this.connecting = CompletableFuture.supplyAsync(this::attempt, this::begin);
		}
		return this.connecting;
	}

	private synchronized void begin(Runnable attempt) {
		Thread thread = THREADS.newThread(attempt);
		thread.start();
		this.attempts.add(thread);
	}

	/**
	 * Stops waiting for an attempt: the next call begins another, because the server may
	 * have another address by then.
	 */
	synchronized void giveUp(CompletableFuture<Connected> attempt) {
		if (attempt == this.connecting && this.attempts.size() < MOST_ATTEMPTS) {
			this.connecting = null;
		}
	}

	private static RedisException closed() {
		return new RedisException("the store is closed");
	}

	private Connected attempt() {
		try {
			if (this.closed) {
				throw closed();
			}
			return accept(open());
		}
		finally {
			ended();
		}
	}

	private synchronized void ended() {
		this.attempts.remove(Thread.currentThread());
	}

	private Connected open() {
		Connected connected = new Connected(this.opener.get());
		connected.connection().addListener(new NoReplay(connected));
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
	 * Uses a connection no more, because it is broken.
	 */
	void abandon(@Nullable Connected connected) {
		if (connected != null && retire(connected)) {
			connected.end();
		}
	}

	/**
	 * Sends no more calls over a connection. Those that were sent may still be answered,
	 * until the caller ends it.
	 * @return whether it was in use
	 */
	synchronized boolean retire(@Nullable Connected connected) {
		if (connected == null || connected != this.current) {
			return false;
		}
		this.current = null;
		return true;
	}

	/*
	 * The application's client may have been stopped before, and all connections with it.
	 * A caller that waits for the client's threads must not hold a lock that these may
	 * wait for.
	 */
	void close() {
		Connected connected = leave();
		if (connected != null) {
			await(connected.close());
		}
	}

	private synchronized @Nullable Connected leave() {
		Connected connected = current();
		this.closed = true;
		this.current = null;
		return connected;
	}

	/**
	 * Waits a moment for an attempt that is under way. The client may be stopped next,
	 * and would log one that has just begun as an error.
	 */
	void awaitAttempt() {
		await(attemptUnderWay());
	}

	private synchronized CompletableFuture<?> attemptUnderWay() {
		return (this.connecting != null) ? this.connecting : CompletableFuture.completedFuture(null);
	}

	/**
	 * Ends the attempts that are under way. A client that is stopped next would never
	 * answer them.
	 */
	synchronized void endAttempts() {
		this.attempts.forEach(Thread::interrupt);
	}

	/*
	 * Not for ever, because threads that have been stopped complete nothing.
	 */
	private static void await(CompletableFuture<?> end) {
		try {
			end.get(CLOSING_MILLIS, TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException | TimeoutException ex) {
			// It is of no use any more.
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * A connection.
	 */
	static final class Connected {

		private final StatefulRedisConnection<byte[], byte[]> connection;

		private final RedisClusterAsyncCommands<byte[], byte[]> commands;

		private final AtomicBoolean ended = new AtomicBoolean();

		private volatile int answers;

		Connected(StatefulRedisConnection<byte[], byte[]> connection) {
			this.connection = connection;
			this.commands = connection.async();
		}

		StatefulRedisConnection<byte[], byte[]> connection() {
			return this.connection;
		}

		/**
		 * The commands that all threads can send over it.
		 */
		RedisClusterAsyncCommands<byte[], byte[]> commands() {
			return this.commands;
		}

		/**
		 * Notes an answer. All come on the connection's own thread.
		 */
		void answered() {
			this.answers++;
		}

		/**
		 * A number that is another one after each answer.
		 */
		int answers() {
			return this.answers;
		}

		/*
		 * If the application's client has not ended it already.
		 */
		void end() {
			boolean open = !(this.connection instanceof RedisChannelHandler<?, ?> handler && handler.isClosed());
			if (this.ended.compareAndSet(false, true) && open) {
				this.connection.closeAsync();
			}
		}

		CompletableFuture<Void> close() {
			this.ended.set(true);
			return this.connection.closeAsync();
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
