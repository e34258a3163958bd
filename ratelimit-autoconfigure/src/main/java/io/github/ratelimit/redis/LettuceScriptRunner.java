package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Runs scripts over one Lettuce connection that all threads share. It waits for an answer
 * no longer than the time-out, whatever the application's own is.
 */
final class LettuceScriptRunner implements ScriptRunner {

	private final LettuceConnector connector;

	LettuceScriptRunner(LettuceConnectionFactory factory) {
		this.connector = new LettuceConnector(factory);
	}

	@Override
	public void connect() {
		this.connector.connect();
	}

	@Override
	public byte[] run(ScriptCall call, Deadline deadline) {
		try {
			return known(call, deadline);
		}
		catch (RedisCallException ex) {
			if (ex.blame() != RedisCallException.Blame.KEY) {
				throw ex;
			}
			return eval(call.script().mending(), call, deadline);
		}
	}

	private byte[] known(ScriptCall call, Deadline deadline) {
		try {
			return call((commands) -> commands.evalsha(call.script().sha1(), ScriptOutputType.VALUE, call.keys(),
					call.arguments()), deadline);
		}
		catch (RedisNoScriptException ex) {
			return eval(call.script().text(), call, deadline);
		}
	}

	private byte[] eval(String text, ScriptCall call, Deadline deadline) {
		return call((commands) -> commands.eval(text, ScriptOutputType.VALUE, call.keys(), call.arguments()), deadline);
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

	@Override
	public void delete(byte[][] keys, Deadline deadline) {
		call((commands) -> commands.del(keys), deadline);
	}

	@Override
	public boolean isCluster() {
		return false;
	}

	@Override
	public String node(byte[] key) {
		return "";
	}

	/*
	 * A connection that does not answer in time may never do so again, if the server is
	 * gone without a word, and one whose server takes no writes may lead to a former
	 * master. The next call gets a new one.
	 */
	private <T> T call(Function<RedisClusterAsyncCommands<byte[], byte[]>, Future<T>> command, Deadline deadline) {
		LettuceConnector.Connected connected = connected(deadline);
		RedisCallException moving = null;
		while (true) {
			Future<T> answer = send(command, connected);
			try {
				return get(answer, deadline);
			}
			catch (TimeoutException ex) {
				answer.cancel(true);
				if (moving != null) {
					throw moving;
				}
				this.connector.abandon(connected);
				throw RedisCallException.noAnswer(deadline.timeout());
			}
			catch (ExecutionException ex) {
				if (ex.getCause() instanceof RedisNoScriptException noScript) {
					throw noScript;
				}
				moving = failure(ex.getCause(), connected);
				if (moving.blame() != RedisCallException.Blame.MOVE) {
					throw moving;
				}
			}
		}
	}

	private <T> Future<T> send(Function<RedisClusterAsyncCommands<byte[], byte[]>, Future<T>> command,
			LettuceConnector.Connected connected) {
		try {
			return command.apply(connected.commands());
		}
		catch (RuntimeException ex) {
			throw failure(ex, connected);
		}
	}

	private RedisCallException failure(@Nullable Throwable cause, LettuceConnector.Connected connected) {
		RedisCallException failure = RedisCallException.of(cause);
		if (!(cause instanceof RedisCommandExecutionException) || failure.blame() == RedisCallException.Blame.WRITES) {
			this.connector.abandon(connected);
		}
		return failure;
	}

	private LettuceConnector.Connected connected(Deadline deadline) {
		LettuceConnector.Connected current = this.connector.current();
		if (current != null) {
			return current;
		}
		CompletableFuture<LettuceConnector.Connected> attempt = this.connector.connect();
		try {
			return get(attempt, deadline);
		}
		catch (TimeoutException ex) {
			this.connector.giveUp(attempt);
			throw RedisCallException.noAnswer(deadline.timeout());
		}
		catch (ExecutionException ex) {
			throw RedisCallException.of(ex.getCause());
		}
	}

	/*
	 * A connection that ends cancels what it was asked.
	 */
	private <T> T get(Future<T> answer, Deadline deadline) throws TimeoutException, ExecutionException {
		try {
			return answer.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
		}
		catch (CancellationException ex) {
			throw new ExecutionException("the connection was closed", new RedisException("the connection was closed"));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw RedisCallException.interrupted(ex);
		}
	}

	@Override
	public void close() {
		this.connector.close();
	}

}
