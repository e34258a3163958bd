package io.github.ratelimit.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

import io.github.ratelimit.BackgroundThreads;
import io.github.ratelimit.resilience.Deadline;
import io.github.ratelimit.resilience.StoreCallException;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.ReturnType;

/**
 * Runs scripts over any connections, such as those of Jedis, which block until their own
 * time-out. It does so on threads of its own, so that a caller waits no longer than until
 * its deadline.
 */
final class BlockingScriptRunner implements ScriptRunner {

	/**
	 * How many scripts are under way that are posted, and how many that are asked.
	 */
	static final int MOST_POSTED = 64;

	private static final BackgroundThreads LOOKING = new BackgroundThreads("ratelimit-redis-watch");

	/*
	 * A look at a server that hangs takes as long as the client's own time-out, and
	 * another may begin each second.
	 */
	private static final int MOST_LOOKING = 16;

	private final ExecutorService looking = new ThreadPoolExecutor(0, MOST_LOOKING, 1, TimeUnit.SECONDS,
			new SynchronousQueue<>(), LOOKING, new ThreadPoolExecutor.DiscardPolicy());

	private final BlockingThreads threads = new BlockingThreads();

	private final AtomicInteger posted = new AtomicInteger();

	private final AtomicInteger asked = new AtomicInteger();

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
		this.slots = cluster ? new ClusterSlots(factory, this.looking, this.threads::retain) : null;
	}

	@Override
	public void connect() {
		if (this.slots != null) {
			this.slots.look();
		}
		this.threads.of("").execute(() -> {
			try (RedisConnection connection = this.factory.getConnection()) {
				connection.ping();
			}
			catch (RuntimeException ex) {
				// The first decision finds out.
			}
		});
	}

	@Override
	public byte[] run(ScriptCall call, Deadline deadline) {
		return begin(call, deadline).await();
	}

	@Override
	public List<ScriptAnswer> runAll(List<ScriptCall> calls, Deadline deadline) {
		return calls.stream()
			.map((call) -> tryToBegin(call, deadline))
			.toList()
			.stream()
			.map(ScriptAnswer::await)
			.toList();
	}

	/*
	 * A server whose threads are all busy keeps the calls of no other from beginning.
	 */
	private Callable<byte[]> tryToBegin(ScriptCall call, Deadline deadline) {
		try {
			return begin(call, deadline)::await;
		}
		catch (StoreCallException ex) {
			return () -> {
				throw ex;
			};
		}
	}

	private Call<byte[]> begin(ScriptCall call, Deadline deadline) {
		return new Call<>(call.keys()[0], deadline, evaluation(call));
	}

	private static Function<RedisConnection, byte[]> evaluation(ScriptCall call) {
		byte[][] all = new byte[call.keys().length + call.arguments().length][];
		System.arraycopy(call.keys(), 0, all, 0, call.keys().length);
		System.arraycopy(call.arguments(), 0, all, call.keys().length, call.arguments().length);
		return (connection) -> evaluate(connection, call.script(), call.keys().length, all);
	}

	@Override
	public CompletionStage<byte[]> post(ScriptCall call) {
		return begin(call, this.posted);
	}

	@Override
	public CompletionStage<byte[]> ask(ScriptCall call) {
		return begin(call, this.asked);
	}

	private CompletionStage<byte[]> begin(ScriptCall call, AtomicInteger underWay) {
		if (underWay.incrementAndGet() > MOST_POSTED) {
			underWay.decrementAndGet();
			return CompletableFuture.failedStage(RedisFailures.tooMany());
		}
		CompletableFuture<byte[]> answer = new CompletableFuture<>();
		answer.whenComplete((bytes, failure) -> underWay.decrementAndGet());
		try {
			this.threads.of(node(call.keys()[0])).execute(() -> answer(call, answer));
		}
		catch (RejectedExecutionException ex) {
			answer.completeExceptionally(RedisFailures.tooMany());
		}
		return answer;
	}

	private void answer(ScriptCall call, CompletableFuture<byte[]> answer) {
		try (RedisConnection connection = this.factory.getConnection()) {
			answer.complete(evaluation(call).apply(connection));
		}
		catch (RuntimeException ex) {
			answer.completeExceptionally(RedisFailures.of(ex));
		}
		catch (Error ex) {
			answer.completeExceptionally(ex);
			throw ex;
		}
	}

	private static byte[] evaluate(RedisConnection connection, Script script, int keys, byte[][] all) {
		byte[] answer;
		try {
			answer = known(connection, script, keys, all);
		}
		catch (DataAccessException ex) {
			if (RedisFailures.of(ex).blame() != StoreCallException.Blame.KEY) {
				throw ex;
			}
			answer = eval(connection, script.mending(), keys, all);
		}
		return Objects.requireNonNull(answer, "The script answered nothing");
	}

	private static byte @Nullable [] known(RedisConnection connection, Script script, int keys, byte[][] all) {
		try {
			return connection.scriptingCommands().evalSha(script.sha1(), ReturnType.VALUE, keys, all);
		}
		catch (DataAccessException ex) {
			if (!String.valueOf(ex.getMostSpecificCause().getMessage()).contains("NOSCRIPT")) {
				throw ex;
			}
			return eval(connection, script.text(), keys, all);
		}
	}

	private static byte @Nullable [] eval(RedisConnection connection, String text, int keys, byte[][] all) {
		return connection.scriptingCommands().eval(text.getBytes(StandardCharsets.UTF_8), ReturnType.VALUE, keys, all);
	}

	@Override
	public void delete(byte[][] keys, Deadline deadline) {
		new Call<>(keys[0], deadline, (connection) -> connection.keyCommands().del(keys)).await();
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
		this.looking.shutdown();
		this.threads.close();
	}

	/**
	 * A call that a thread makes.
	 *
	 * @param <T> the answer's type
	 */
	private final class Call<T> {

		private final AtomicReference<@Nullable StoreCallException> moving = new AtomicReference<>();

		private final byte[] key;

		private final Deadline deadline;

		private final Future<T> answer;

		Call(byte[] key, Deadline deadline, Function<RedisConnection, T> command) {
			this.key = key;
			this.deadline = deadline;
			this.answer = submit(BlockingScriptRunner.this.threads.of(node(key)), () -> ask(command));
		}

		/*
		 * Only then, because it takes as long as there are calls that wait.
		 */
		private Future<T> submit(ThreadPoolExecutor executor, Callable<T> task) {
			try {
				return executor.submit(task);
			}
			catch (RejectedExecutionException full) {
				executor.purge();
			}
			try {
				return executor.submit(task);
			}
			catch (RejectedExecutionException ex) {
				throw RedisFailures.busy();
			}
		}

		/*
		 * A replica has done nothing, and the next connection may lead to the master.
		 */
		private T ask(Function<RedisConnection, T> command) {
			try {
				return askWhileKeysMove(command);
			}
			catch (DataAccessException ex) {
				if (RedisFailures.of(ex).blame() != StoreCallException.Blame.NODE
						|| !BlockingScriptRunner.this.renewal.getAsBoolean()) {
					throw ex;
				}
				return askWhileKeysMove(command);
			}
		}

		/*
		 * Until the caller gives up, and interrupts.
		 */
		private T askWhileKeysMove(Function<RedisConnection, T> command) {
			try (RedisConnection connection = BlockingScriptRunner.this.factory.getConnection()) {
				while (true) {
					try {
						return command.apply(connection);
					}
					catch (DataAccessException ex) {
						StoreCallException failure = RedisFailures.of(ex);
						if (failure.blame() != StoreCallException.Blame.MOVE
								|| Thread.currentThread().isInterrupted()) {
							throw ex;
						}
						this.moving.set(failure);
					}
				}
			}
		}

		T await() {
			try {
				return this.answer.get(this.deadline.remainingNanos(), TimeUnit.NANOSECONDS);
			}
			catch (TimeoutException ex) {
				this.answer.cancel(true);
				StoreCallException failure = this.moving.get();
				throw suspected((failure != null) ? failure : StoreCallException.noAnswer(this.deadline.timeout()));
			}
			catch (ExecutionException | CancellationException ex) {
				throw suspected(RedisFailures.of((ex.getCause() != null) ? ex.getCause() : ex));
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw StoreCallException.interrupted(ex);
			}
		}

		private StoreCallException suspected(StoreCallException failure) {
			ClusterSlots slots = BlockingScriptRunner.this.slots;
			if (slots != null && (failure.blame() == StoreCallException.Blame.SERVER
					|| failure.blame() == StoreCallException.Blame.NODE)) {
				slots.suspect(this.key);
			}
			return failure;
		}

	}

}
