package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.remote.StoreCallException;

/**
 * Makes calls of one kind: for callers that wait, or without one. Those that no caller
 * waits for are best effort: a bounded number is under way at a time, and what fails is
 * not tried again.
 */
final class ScriptCalls {

	/* How long a call waits for its answer that no caller waits for. */
	private static final Duration LONGEST = Duration.ofSeconds(1);

	private final AtomicInteger underWay = new AtomicInteger();

	private final ScriptRunner runner;

	ScriptCalls(ScriptRunner runner) {
		this.runner = runner;
	}

	/**
	 * Names the server that has a key.
	 */
	String server(byte[] key) {
		return this.runner.node(key);
	}

	/*
	 * A failure is one of this call alone, also one that a client library does not
	 * declare.
	 */
	<T> Supplier<T> start(ScriptCall<T> call, Deadline deadline) {
		try {
			return this.runner.start(call, deadline)::await;
		}
		catch (Exception ex) {
			StoreCallException failure = RedisFailures.of(ex);
			return () -> {
				throw failure;
			};
		}
	}

	<T> CompletionStage<T> post(ScriptCall<T> call) {
		if (this.underWay.get() >= this.runner.mostUnawaited()) {
			return CompletableFuture.failedStage(
					new StoreCallException("too many calls are under way", null, StoreCallException.Blame.CALLER));
		}
		try {
			PendingCall<T> started = this.runner.start(call, Deadline.after(LONGEST));
			this.underWay.incrementAndGet();
			return started.orTimeout(LONGEST.toNanos(), TimeUnit.NANOSECONDS).handle((answer, failure) -> {
				this.underWay.decrementAndGet();
				if (failure != null) {
					throw (failure instanceof TimeoutException) ? started.giveUp() : RedisFailures.of(failure);
				}
				return started.read(answer);
			});
		}
		catch (Exception ex) {
			return CompletableFuture.failedStage(RedisFailures.of(ex));
		}
		catch (Error ex) {
			return CompletableFuture.failedStage(ex);
		}
	}

}
