package io.github.ratelimit.redis;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import io.github.ratelimit.BackgroundThreads;
import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.remote.StoreCallException;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisScriptingCommands;
import org.springframework.data.redis.connection.ReturnType;

/**
 * Runs scripts over any connections, such as those of Jedis, which block until their own
 * time-out. It does so on threads of its own, so that a caller waits no longer than until
 * its deadline.
 */
final class BlockingScriptRunner implements ScriptRunner {

	private final BlockingThreads threads = new BlockingThreads();

	private final RedisConnectionFactory factory;

	private final @Nullable ClusterSlots slots;

	private final BooleanSupplier renewal;

	private final String server;

	/**
	 * Creates a runner.
	 * @param factory the application's connections
	 * @param cluster whether they lead to a cluster
	 * @param renewal makes the next connection lead to the master, if it can
	 * @param server the address of the only server, or an empty text
	 */
	BlockingScriptRunner(RedisConnectionFactory factory, boolean cluster, BooleanSupplier renewal, String server) {
		this.server = server;
		this.factory = factory;
		this.renewal = renewal;
		this.slots = cluster ? new ClusterSlots(factory, this.threads::tryToRun, this.threads::retain) : null;
	}

	@Override
	public void connect() {
		if (this.slots != null) {
			this.slots.look();
		}
		this.threads.tryToRun(() -> {
			try (RedisConnection connection = this.factory.getConnection()) {
				connection.ping();
			}
			catch (RuntimeException ex) {
				// The first decision finds out.
			}
		});
	}

	@Override
	public PendingCall start(ScriptCall call, Deadline deadline) {
		Call started = new Call(call, deadline);
		started.begin();
		return started;
	}

	/*
	 * Each holds a thread.
	 */
	@Override
	public int mostUnawaited() {
		return 64;
	}

	@Override
	public boolean isCluster() {
		return this.slots != null;
	}

	@Override
	public String node(byte[] key) {
		return (this.slots != null) ? this.slots.owner(key) : "";
	}

	@Override
	public Set<String> nodes() {
		return (this.slots != null) ? this.slots.addresses() : Set.of("");
	}

	@Override
	public String server() {
		return this.server;
	}

	@Override
	public void close() {
		this.threads.close();
	}

	/**
	 * A call that a thread makes.
	 */
	private final class Call extends PendingCall {

		private final BlockingScriptRunner runner = BlockingScriptRunner.this;

		private final ScriptCall call;

		private final byte[][] keysAndArguments;

		private volatile @Nullable Future<?> task;

		Call(ScriptCall call, Deadline deadline) {
			super(deadline);
			this.call = call;
			this.keysAndArguments = Stream.of(call.keys(), call.arguments()).flatMap(Stream::of).toArray(byte[][]::new);
		}

		/*
		 * A server whose threads are all busy keeps the calls of no other from beginning.
		 */
		void begin() {
			try {
				this.task = this.runner.threads.of(node(this.call.keys()[0])).submit(this::answer);
			}
			catch (RejectedExecutionException ex) {
				completeExceptionally(new StoreCallException("too many requests are waiting for an answer", null,
						StoreCallException.Blame.SERVER));
			}
		}

		private void answer() {
			try {
				complete(ask());
			}
			catch (RuntimeException ex) {
				completeExceptionally(suspected(RedisFailures.of(ex)));
			}
			catch (Error ex) {
				completeExceptionally(ex);
			}
		}

		/*
		 * A replica has done nothing, and the next connection may lead to the master.
		 */
		private byte[] ask() {
			try {
				return askOverOneConnection();
			}
			catch (StoreCallException ex) {
				if (ex.blame() != StoreCallException.Blame.NODE || !this.runner.renewal.getAsBoolean()) {
					throw ex;
				}
				return askOverOneConnection();
			}
		}

		/*
		 * While keys move, until the caller gives up, and interrupts.
		 */
		private byte[] askOverOneConnection() {
			String text = null;
			try (RedisConnection connection = this.runner.factory.getConnection()) {
				while (true) {
					try {
						return Objects.requireNonNull(evaluate(connection, text), "The script answered nothing");
					}
					catch (DataAccessException ex) {
						StoreCallException failure = RedisFailures.of(ex);
						String other = this.call.script().instead(text, failure);
						boolean moves = failure.blame() == StoreCallException.Blame.MOVE;
						if (other == null && (!moves || Thread.currentThread().isInterrupted())) {
							throw failure;
						}
						this.moving = moves ? failure : this.moving;
						text = (other != null) ? other : text;
					}
				}
			}
		}

		private byte @Nullable [] evaluate(RedisConnection connection, @Nullable String text) {
			int keys = this.call.keys().length;
			RedisScriptingCommands scripts = connection.scriptingCommands();
			return (text != null)
					? scripts.eval(text.getBytes(StandardCharsets.UTF_8), ReturnType.VALUE, keys, this.keysAndArguments)
					: scripts.evalSha(this.call.script().sha1(), ReturnType.VALUE, keys, this.keysAndArguments);
		}

		@Override
		void givenUp(StoreCallException failure) {
			suspected(failure);
			Future<?> begun = this.task;
			if (begun != null) {
				begun.cancel(true);
			}
		}

		private StoreCallException suspected(StoreCallException failure) {
			ClusterSlots slots = this.runner.slots;
			if (slots != null && (failure.blame() == StoreCallException.Blame.SERVER
					|| failure.blame() == StoreCallException.Blame.NODE)) {
				slots.suspect(this.call.keys()[0]);
			}
			return failure;
		}

	}

	/**
	 * Threads that wait for servers, some for each server, so that a server that hangs
	 * does not use up those of the others.
	 */
	private static final class BlockingThreads {

		private static final int THREADS = 16;

		private static final int WAITING = 1024;

		/**
		 * How many servers have threads of their own. The others share.
		 */
		private static final int MOST = 64;

		private static final String OTHERS = "";

		private final Map<String, ThreadPoolExecutor> executors = new ConcurrentHashMap<>();

		private volatile boolean closed;

		/**
		 * The threads for a server.
		 * @param node the server's name, or an empty text if it is not known or the only
		 * one
		 */
		ThreadPoolExecutor of(String node) {
			ThreadPoolExecutor executor = this.executors.get(node);
			return (executor != null) ? executor : add(node);
		}

		private synchronized ThreadPoolExecutor add(String node) {
			String name = (this.executors.size() < MOST) ? node : OTHERS;
			return this.executors.computeIfAbsent(name, (added) -> executor());
		}

		/**
		 * Runs what a later call finds out by itself, unless too much waits already.
		 */
		void tryToRun(Runnable task) {
			try {
				of(OTHERS).execute(task);
			}
			catch (RejectedExecutionException ex) {
				// A later call finds out.
			}
		}

		private ThreadPoolExecutor executor() {
			ThreadPoolExecutor executor = new ThreadPoolExecutor(THREADS, THREADS, 1, TimeUnit.MINUTES,
					new ArrayBlockingQueue<>(WAITING), new BackgroundThreads("ratelimit-redis"),
					BlockingThreads::makeRoom);
			executor.allowCoreThreadTimeOut(true);
			if (this.closed) {
				executor.shutdown();
			}
			return executor;
		}

		/*
		 * Only now calls that were given up are removed, because that takes as long as
		 * there are calls that wait.
		 */
		private static void makeRoom(Runnable task, ThreadPoolExecutor executor) {
			executor.purge();
			if (executor.isShutdown() || !executor.getQueue().offer(task)) {
				throw new RejectedExecutionException();
			}
		}

		/**
		 * Forgets the servers that are gone. Calls that wait for them still do.
		 */
		synchronized void retain(Set<String> nodes) {
			this.executors.entrySet().removeIf((each) -> {
				boolean former = !each.getKey().equals(OTHERS) && !nodes.contains(each.getKey());
				if (former) {
					each.getValue().shutdown();
				}
				return former;
			});
		}

		synchronized void close() {
			this.closed = true;
			this.executors.values().forEach(ThreadPoolExecutor::shutdownNow);
		}

	}

}
