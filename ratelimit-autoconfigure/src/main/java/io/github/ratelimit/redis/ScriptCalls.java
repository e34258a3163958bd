package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.remote.StoreCallException;
import org.jspecify.annotations.Nullable;

/**
 * Runs scripts: for a caller that waits, several at once, or without one. A script whose
 * numbers were for another time than the server's has answered with that alone, and is
 * run again. A process does so once if its own clock is far from the server's, or if it
 * has not asked for long.
 */
final class ScriptCalls {

	/* Two would do, unless servers with different times answer. */
	private static final int MOST_TRIES = 5;

	private final ScriptRunner runner;

	private final UnawaitedCalls posted = new UnawaitedCalls();

	private final UnawaitedCalls asked = new UnawaitedCalls();

	ScriptCalls(ScriptRunner runner) {
		this.runner = runner;
	}

	private static @Nullable ScriptCall again(ScriptCall call, byte[] answer, int tries) {
		if (call.later() == null || answer.length != Double.BYTES) {
			return null;
		}
		if (tries == MOST_TRIES) {
			throw new StoreCallException("the server's time keeps changing", null, StoreCallException.Blame.SERVER);
		}
		return call.later().apply(LimitScript.number(LimitScript.buffer(answer)));
	}

	/**
	 * Runs a script.
	 * @see ScriptRunner#run
	 */
	byte[] run(ScriptCall call, Deadline deadline) {
		return inTime(call, this.runner.run(call, deadline), deadline, 1);
	}

	private byte[] inTime(ScriptCall call, byte[] answer, Deadline deadline, int tries) {
		ScriptCall again = again(call, answer, tries);
		return (again != null) ? inTime(again, this.runner.run(again, deadline), deadline, tries + 1) : answer;
	}

	/**
	 * Sends several scripts at once.
	 * @param calls the scripts and their arguments
	 * @param deadline until when there is time for all answers
	 * @return each waits for its answer, in the same order. A failure is one of this call
	 * alone, also one that a client library does not declare
	 */
	List<Supplier<byte[]>> startAll(List<ScriptCall> calls, Deadline deadline) {
		List<Supplier<byte[]>> answers = new ArrayList<>();
		try {
			List<PendingCall> started = this.runner.startAll(calls, deadline);
			for (int i = 0; i < started.size(); i++) {
				ScriptCall call = calls.get(i);
				PendingCall pending = started.get(i);
				answers.add(() -> inTime(call, pending.await(), deadline, 1));
			}
			return answers;
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
	CompletionStage<byte[]> post(ScriptCall call) {
		return start(this.posted, call, 1);
	}

	/**
	 * Runs a script whose answer no caller waits for. A bounded number is under way at a
	 * time, apart from those that are {@link #post posted}.
	 * @param call the script and its arguments
	 * @return the answer; or a {@link StoreCallException}, which blames the caller if too
	 * many are under way
	 */
	CompletionStage<byte[]> ask(ScriptCall call) {
		return start(this.asked, call, 1);
	}

	private static CompletionStage<byte[]> start(UnawaitedCalls way, ScriptCall call, int tries) {
		CompletionStage<byte[]> first = way.start(call);
		return (call.later() == null) ? first : first.thenCompose((answer) -> {
			ScriptCall again = again(call, answer, tries);
			return (again != null) ? start(way, again, tries + 1) : CompletableFuture.completedStage(answer);
		});
	}

	/**
	 * Calls under way that no caller waits for: a bounded number, each for a bounded
	 * time.
	 */
	private final class UnawaitedCalls {

		/**
		 * How long a call waits for its answer.
		 */
		static final Duration LONGEST = Duration.ofSeconds(1);

		private final Set<PendingCall> underWay = ConcurrentHashMap.newKeySet();

		/**
		 * Sends a call, if there is room for it.
		 * @return the call, or a failure that blames the caller
		 */
		CompletionStage<byte[]> start(ScriptCall call) {
			if (this.underWay.size() >= ScriptCalls.this.runner.mostUnawaited()) {
				return CompletableFuture.failedStage(
						new StoreCallException("too many calls are under way", null, StoreCallException.Blame.CALLER));
			}
			try {
				PendingCall started = ScriptCalls.this.runner.start(call, Deadline.after(LONGEST));
				this.underWay.add(started);
				endInTime(started);
				return started;
			}
			catch (Exception ex) {
				return CompletableFuture.failedStage(RedisFailures.of(ex));
			}
			catch (Error ex) {
				return CompletableFuture.failedStage(ex);
			}
		}

		private void endInTime(PendingCall call) {
			CompletableFuture<Void> timer = new CompletableFuture<Void>().orTimeout(LONGEST.toNanos(),
					TimeUnit.NANOSECONDS);
			timer.whenComplete((nothing, timeout) -> {
				if (timeout != null) {
					call.giveUp();
				}
			});
			call.whenComplete((answer, failure) -> {
				this.underWay.remove(call);
				timer.complete(null);
			});
		}

	}

}
