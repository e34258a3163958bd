package io.github.ratelimit.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

import io.github.ratelimit.BackgroundThreads;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.ReturnType;

/**
 * Runs scripts over any connections, such as those of Jedis, which block until their own
 * time-out: on threads of its own, so that a caller waits no longer than it should.
 */
final class BlockingScriptRunner implements ScriptRunner {

	private static final int THREADS = 16;

	private static final int WAITING = 1024;

	private final RedisConnectionFactory factory;

	private final ThreadPoolExecutor executor;

	BlockingScriptRunner(RedisConnectionFactory factory) {
		this.factory = factory;
		this.executor = new ThreadPoolExecutor(THREADS, THREADS, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(WAITING),
				new BackgroundThreads("ratelimit-redis"));
		this.executor.allowCoreThreadTimeOut(true);
	}

	@Override
	public void connect() {
		submit(() -> {
			try (RedisConnection connection = this.factory.getConnection()) {
				return connection.ping();
			}
		});
	}

	@Override
	public byte[] run(ScriptCall call, Deadline deadline) {
		byte[][] all = new byte[call.keys().length + call.arguments().length][];
		System.arraycopy(call.keys(), 0, all, 0, call.keys().length);
		System.arraycopy(call.arguments(), 0, all, call.keys().length, call.arguments().length);
		return call((connection) -> evaluate(connection, call.script(), call.keys().length, all), deadline);
	}

	@Override
	public List<ScriptAnswer> runAll(List<ScriptCall> calls, Deadline deadline) {
		return calls.stream().map((call) -> answer(call, deadline)).toList();
	}

	private ScriptAnswer answer(ScriptCall call, Deadline deadline) {
		try {
			return ScriptAnswer.of(run(call, deadline));
		}
		catch (RedisCallException ex) {
			return ScriptAnswer.of(ex);
		}
	}

	@Override
	public void post(ScriptCall call) {
		run(call, Deadline.after(Duration.ofSeconds(1)));
	}

	private static byte[] evaluate(RedisConnection connection, Script script, int keys, byte[][] all) {
		byte[] answer;
		try {
			answer = known(connection, script, keys, all);
		}
		catch (DataAccessException ex) {
			if (RedisCallException.of(ex).blame() != RedisCallException.Blame.KEY) {
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
		call((connection) -> connection.keyCommands().del(keys), deadline);
	}

	@Override
	public boolean isCluster() {
		return false;
	}

	@Override
	public String node(byte[] key) {
		return "";
	}

	private <T> T call(Function<RedisConnection, T> command, Deadline deadline) {
		AtomicReference<@Nullable RedisCallException> moving = new AtomicReference<>();
		Future<T> answer = submit(() -> {
			try (RedisConnection connection = this.factory.getConnection()) {
				return whileKeysMove(command, connection, moving);
			}
		});
		try {
			return answer.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			answer.cancel(true);
			this.executor.purge();
			RedisCallException failure = moving.get();
			throw (failure != null) ? failure : RedisCallException.noAnswer(deadline.timeout());
		}
		catch (ExecutionException | CancellationException ex) {
			throw RedisCallException.of((ex.getCause() != null) ? ex.getCause() : ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw RedisCallException.interrupted(ex);
		}
	}

	/*
	 * Until the caller gives up, and interrupts.
	 */
	private static <T> T whileKeysMove(Function<RedisConnection, T> command, RedisConnection connection,
			AtomicReference<@Nullable RedisCallException> moving) {
		while (true) {
			try {
				return command.apply(connection);
			}
			catch (DataAccessException ex) {
				RedisCallException failure = RedisCallException.of(ex);
				if (failure.blame() != RedisCallException.Blame.MOVE || Thread.currentThread().isInterrupted()) {
					throw ex;
				}
				moving.set(failure);
			}
		}
	}

	private <T> Future<T> submit(Callable<T> task) {
		try {
			return this.executor.submit(task);
		}
		catch (RejectedExecutionException ex) {
			throw RedisCallException.busy();
		}
	}

	@Override
	public void close() {
		this.executor.shutdownNow();
	}

}
