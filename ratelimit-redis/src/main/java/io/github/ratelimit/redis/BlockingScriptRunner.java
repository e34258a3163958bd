package io.github.ratelimit.redis;

import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.remote.StoreCallException;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;
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

	private static final long PAUSE_NANOS = 1_000_000_000;

	/* Another look begins so soon, unless so many are under way. */
	private static final long AGAIN_MILLIS = 250;

	private static final int MAX_LOOKS = 8;

	static final Runnable NOTHING = () -> {
	};

	/* Calls whose keys are being moved hold no thread meanwhile. */
	private static final Executor AFTER_PAUSE = CompletableFuture.delayedExecutor(PendingCall.MOVE_PAUSE_MILLIS,
			TimeUnit.MILLISECONDS, Runnable::run);

	private final BlockingThreads threads = new BlockingThreads();

	private final RedisConnectionFactory factory;

	private volatile boolean cluster;

	private final AtomicLong nextLook;

	/*
	 * The key whose server is looked for: a copy, which tells one search from the next.
	 */
	private final AtomicReference<byte @Nullable []> sought = new AtomicReference<>();

	private final Semaphore looks = new Semaphore(MAX_LOOKS);

	private final Runnable renewal;

	private final String server;

	private final RateLimitClock clock;

	private final Executor later;

	private volatile @Nullable ClusterView view;

	/**
	 * Creates a runner.
	 * @param factory the application's connections
	 * @param cluster whether they are known to lead to a cluster
	 * @param renewal makes the next connection look up the master, at most once a second
	 * @param server the address of the only server, or an empty text
	 */
	BlockingScriptRunner(RedisConnectionFactory factory, boolean cluster, Runnable renewal, String server) {
		this(factory, cluster, renewal, server, RateLimitClock.system(),
				CompletableFuture.delayedExecutor(AGAIN_MILLIS, TimeUnit.MILLISECONDS, Runnable::run));
	}

	/**
	 * Creates a runner.
	 * @param clock the time that limits how often it is looked who is there
	 * @param later runs what begins another look, after a pause
	 */
	BlockingScriptRunner(RedisConnectionFactory factory, boolean cluster, Runnable renewal, String server,
			RateLimitClock clock, Executor later) {
		this.server = server;
		this.factory = factory;
		this.renewal = renewal;
		this.cluster = cluster;
		this.clock = clock;
		this.later = later;
		this.nextLook = new AtomicLong(clock.nanos());
	}

	@Override
	public void connect() {
		if (this.cluster) {
			this.threads.tryToRun(() -> ask(this::read), NOTHING);
		}
		this.threads.tryToRun(() -> ask(RedisConnection::ping), NOTHING);
	}

	@Override
	public <T> PendingCall<T> start(ScriptCall<T> call, Deadline deadline) {
		return new Call<>(call, deadline).send();
	}

	@Override
	public boolean isCluster() {
		return this.cluster;
	}

	@Override
	public String node(byte[] key) {
		ClusterView known = this.view;
		String owner = (known != null) ? known.owner(key) : "";
		if (known != null && owner.isEmpty()) {
			suspect(key);
		}
		return owner;
	}

	@Override
	public Set<String> nodes() {
		ClusterView known = this.view;
		if (known != null) {
			return known.owners();
		}
		return this.cluster ? Set.of() : Set.of("");
	}

	@Override
	public String server() {
		return this.server;
	}

	@Override
	public void close() {
		this.threads.close();
	}

	/*
	 * Allows one caller a second to look up who is there.
	 */
	private boolean takeTurn() {
		long now = this.clock.nanos();
		long due = this.nextLook.get();
		return now >= due && this.nextLook.compareAndSet(due, now + PAUSE_NANOS);
	}

	/*
	 * Finds out anew which server of a cluster has which slot, at most once a second,
	 * because a call has failed.
	 */
	private void suspect(byte[] key) {
		if (!this.cluster || !takeTurn()) {
			return;
		}
		byte[] sought = key.clone();
		if (this.sought.compareAndSet(null, sought)) {
			lookRepeatedly(sought);
		}
	}

	/*
	 * Looks again and again, until the key's server answers: a replica may be about to
	 * replace one that does not. The key is looked at with all the patience that the
	 * client has, because it would not find a server's successor in the time that a
	 * decision has. Between its attempts the client pauses, so that one look does not
	 * wait for another.
	 */
	private void lookRepeatedly(byte[] key) {
		if (this.looks.tryAcquire()) {
			this.threads.tryToRun(() -> lookOnce(key), this.looks::release);
		}
		this.later.execute(() -> {
			if (this.sought.get() == key && !this.threads.isClosed()) {
				lookRepeatedly(key);
			}
		});
	}

	private void lookOnce(byte[] key) {
		boolean answers = ask((connection) -> connection.keyCommands().pTtl(key));
		if (ask(this::read) && answers && !Objects.requireNonNull(this.view).owner(key).isEmpty()) {
			this.sought.compareAndSet(key, null);
		}
	}

	/*
	 * A client that is not known tells only by its connections that it leads to a
	 * cluster, where policies that decide together may be on different servers. The first
	 * that does has the servers found, by other threads.
	 */
	private RedisConnection openConnection() {
		RedisConnection connection = this.factory.getConnection();
		if (!this.cluster && connection instanceof RedisClusterConnection) {
			this.cluster = true;
			connect();
		}
		return connection;
	}

	private boolean ask(Consumer<RedisConnection> question) {
		try (RedisConnection connection = openConnection()) {
			question.accept(connection);
			return true;
		}
		catch (RuntimeException ex) {
			// the next call finds out
			return false;
		}
	}

	private void read(RedisConnection connection) {
		ClusterView found = new ClusterView();
		for (RedisClusterNode node : ((RedisClusterConnection) connection).clusterGetNodes()) {
			if (node.isMaster()) {
				String address = node.getHost() + ":" + node.getPort();
				node.getSlotRange().getSlots().forEach((slot) -> found.claim(slot, address, 0));
			}
		}
		this.view = found;
		this.threads.retain(found.owners());
	}

	/**
	 * A call that a thread makes, over as many connections as it takes.
	 */
	private final class Call<T> extends PendingCall<T> {

		private volatile @Nullable Future<?> task;

		Call(ScriptCall<T> call, Deadline deadline) {
			super(call, deadline);
		}

		/*
		 * A server whose threads are all busy keeps the calls of no other from beginning.
		 */
		@Override
		void submit() {
			try {
				this.task = BlockingScriptRunner.this.threads.submit(node(this.call.keys[0]), this::make);
			}
			catch (RejectedExecutionException ex) {
				// a server that does not answer is blamed by the calls that wait for it
				completeExceptionally(
						new StoreCallException(String.valueOf(ex.getMessage()), null, StoreCallException.Blame.CALLER));
			}
		}

		private void make() {
			boolean again = true;
			while (again && !isDone()) {
				again = makeOnce();
			}
		}

		/*
		 * Returns whether this thread is to make the call again if it is not done.
		 */
		private boolean makeOnce() {
			try (RedisConnection connection = openConnection()) {
				takeAnswer(Objects.requireNonNull(evaluate(connection), "The script answered nothing"));
				return true;
			}
			catch (RuntimeException ex) {
				return takeFailure(ex);
			}
			catch (Error ex) {
				completeExceptionally(ex);
				return false;
			}
		}

		private boolean takeFailure(RuntimeException found) {
			try {
				StoreCallException failure = RedisFailures.of(found);
				if (failure.blame() == StoreCallException.Blame.MOVE && noteMove(failure)) {
					AFTER_PAUSE.execute(this::send);
					return false;
				}
				if (mend(failure) || tryAnotherMaster(failure)) {
					return true;
				}
				suspect(failure);
				completeExceptionally(failure);
			}
			catch (RuntimeException | Error ex) {
				completeExceptionally(ex);
			}
			return false;
		}

		/*
		 * A replica has done nothing, and the next connection may lead to the master.
		 */
		private boolean tryAnotherMaster(StoreCallException failure) {
			return failure.blame() == StoreCallException.Blame.NODE && tryToRenew();
		}

		private boolean tryToRenew() {
			boolean first = tryAnotherConnection();
			if (first && !BlockingScriptRunner.this.cluster && takeTurn()) {
				BlockingScriptRunner.this.renewal.run();
			}
			return first;
		}

		private byte @Nullable [] evaluate(RedisConnection connection) {
			byte[][] keys = this.call.keys;
			byte[][] all = Stream.of(keys, this.call.arguments()).flatMap(Stream::of).toArray(byte[][]::new);
			RedisScriptingCommands scripts = connection.scriptingCommands();
			String sent = text();
			if (sent != null) {
				return scripts.eval(sent.getBytes(StandardCharsets.UTF_8), ReturnType.VALUE, keys.length, all);
			}
			return scripts.evalSha(this.call.script.sha1(), ReturnType.VALUE, keys.length, all);
		}

		@Override
		void givenUp(StoreCallException failure) {
			suspect(failure);
			Future<?> begun = this.task;
			if (begun != null) {
				begun.cancel(true);
			}
		}

		private void suspect(StoreCallException failure) {
			if (failure.blame() == StoreCallException.Blame.SERVER
					|| failure.blame() == StoreCallException.Blame.NODE) {
				BlockingScriptRunner.this.suspect(this.call.keys[0]);
			}
		}

	}

}
