package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.remote.StoreCallException;

/**
 * Runs scripts: for a caller that waits, several at once, or without one.
 */
final class ScriptCalls {

	/* How long a call waits for its answer that no caller waits for. */
	private static final Duration LONGEST = Duration.ofSeconds(1);

	private final ScriptRunner runner;

	private final AtomicInteger posted = new AtomicInteger();

	private final AtomicInteger asked = new AtomicInteger();

	ScriptCalls(ScriptRunner runner) {
		this.runner = runner;
	}

	/**
	 * Runs a script.
	 * @param call the script and its arguments
	 * @param deadline until when to wait for the answer
	 * @return the answer
	 * @throws StoreCallException if the server does not answer in time, or with an error
	 */
	<T> T run(ScriptCall<T> call, Deadline deadline) {
		return startAll(List.of(call), deadline).get(0).get();
	}

	/**
	 * Sends several scripts at once.
	 * @param calls the scripts and their arguments
	 * @param deadline until when there is time for all answers
	 * @return each waits for its answer, in the same order. A failure is one of this call
	 * alone, also one that a client library does not declare
	 */
	<T> List<Supplier<T>> startAll(List<ScriptCall<T>> calls, Deadline deadline) {
		try {
			return this.runner.startAll(calls, deadline).stream().map((call) -> (Supplier<T>) call::await).toList();
		}
		catch (Exception ex) {
			StoreCallException failure = RedisFailures.of(ex);
			return Collections.nCopies(calls.size(), () -> {
				throw failure;
			});
		}
	}

	/**
	 * Runs a script without waiting for it. Best effort: a bounded number is under way at
	 * a time, and what fails is not tried again.
	 * @param call the script and its arguments
	 * @return completes with the answer, or with a {@link StoreCallException}
	 */
	<T> CompletionStage<T> post(ScriptCall<T> call) {
		return start(this.posted, call);
	}

	/**
	 * Runs a script whose answer no caller waits for. A bounded number is under way at a
	 * time, apart from those that are {@link #post posted}.
	 * @param call the script and its arguments
	 * @return the answer; or a {@link StoreCallException}, which blames the caller if too
	 * many are under way
	 */
	<T> CompletionStage<T> ask(ScriptCall<T> call) {
		return start(this.asked, call);
	}

	private <T> CompletionStage<T> start(AtomicInteger underWay, ScriptCall<T> call) {
		if (underWay.get() >= this.runner.mostUnawaited()) {
			return CompletableFuture.failedStage(
					new StoreCallException("too many calls are under way", null, StoreCallException.Blame.CALLER));
		}
		try {
			PendingCall<T> started = this.runner.start(call, Deadline.after(LONGEST));
			underWay.incrementAndGet();
			return started.orTimeout(LONGEST.toNanos(), TimeUnit.NANOSECONDS).handle((answer, failure) -> {
				underWay.decrementAndGet();
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
