package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import io.github.ratelimit.RateLimitClock;
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

	/* Answers take real time, whatever a test does to the application's. */
	private final RateLimitClock clock = RateLimitClock.system();

	private final LettuceConnector connector;

	private final long timeoutNanos;

	LettuceScriptRunner(LettuceConnectionFactory factory, Duration timeout) {
		this.connector = new LettuceConnector(factory);
		this.timeoutNanos = timeout.toNanos();
	}

	@Override
	public void connect() {
		this.connector.connect();
	}

	@Override
	public byte[] run(Script script, byte[][] keys, byte[][] arguments) {
		long end = end();
		try {
			return known(script, keys, arguments, end);
		}
		catch (RedisCallException ex) {
			if (ex.blame() != RedisCallException.Blame.KEY) {
				throw ex;
			}
			return call((commands) -> commands.eval(script.mending(), ScriptOutputType.VALUE, keys, arguments), end);
		}
	}

	private byte[] known(Script script, byte[][] keys, byte[][] arguments, long end) {
		try {
			return call((commands) -> commands.evalsha(script.sha1(), ScriptOutputType.VALUE, keys, arguments), end);
		}
		catch (RedisNoScriptException ex) {
			return call((commands) -> commands.eval(script.text(), ScriptOutputType.VALUE, keys, arguments), end);
		}
	}

	@Override
	public void delete(byte[][] keys) {
		call((commands) -> commands.del(keys), end());
	}

	private long end() {
		return this.clock.nanos() + this.timeoutNanos;
	}

	/*
	 * A connection that does not answer in time may never do so again, if the server is
	 * gone without a word, and one whose server takes no writes may lead to a former
	 * master. The next call gets a new one.
	 */
	private <T> T call(Function<RedisClusterAsyncCommands<byte[], byte[]>, Future<T>> command, long end) {
		LettuceConnector.Connected connected = connected(end);
		RedisCallException moving = null;
		while (true) {
			Future<T> answer = send(command, connected);
			try {
				return get(answer, end);
			}
			catch (TimeoutException ex) {
				answer.cancel(true);
				if (moving != null) {
					throw moving;
				}
				this.connector.abandon(connected);
				throw noAnswer();
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

	private LettuceConnector.Connected connected(long end) {
		LettuceConnector.Connected current = this.connector.current();
		if (current != null) {
			return current;
		}
		CompletableFuture<LettuceConnector.Connected> attempt = this.connector.connect();
		try {
			return get(attempt, end);
		}
		catch (TimeoutException ex) {
			this.connector.giveUp(attempt);
			throw noAnswer();
		}
		catch (ExecutionException ex) {
			throw RedisCallException.of(ex.getCause());
		}
	}

	/*
	 * A connection that ends cancels what it was asked.
	 */
	private <T> T get(Future<T> answer, long end) throws TimeoutException, ExecutionException {
		try {
			return answer.get(Math.max(0, end - this.clock.nanos()), TimeUnit.NANOSECONDS);
		}
		catch (CancellationException ex) {
			throw new ExecutionException("the connection was closed", new RedisException("the connection was closed"));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw RedisCallException.interrupted(ex);
		}
	}

	private RedisCallException noAnswer() {
		return RedisCallException.noAnswer(Duration.ofNanos(this.timeoutNanos));
	}

	@Override
	public void close() {
		this.connector.close();
	}

}
