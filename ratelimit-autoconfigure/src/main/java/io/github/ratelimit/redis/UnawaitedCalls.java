package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.github.ratelimit.remote.Deadline;

/**
 * Calls under way that no caller waits for: a bounded number, each for a bounded time.
 */
final class UnawaitedCalls {

	/**
	 * How long a call waits for its answer.
	 */
	static final Duration LONGEST = Duration.ofSeconds(1);

	private final Set<PendingCall<byte[]>> underWay = ConcurrentHashMap.newKeySet();

	private final ScriptRunner runner;

	UnawaitedCalls(ScriptRunner runner) {
		this.runner = runner;
	}

	/**
	 * Sends a call, if there is room for it.
	 * @return the call, or a failure that blames the caller
	 */
	CompletionStage<byte[]> start(ScriptCall call) {
		if (isFull()) {
			this.underWay.stream().filter(PendingCall::isOver).forEach(PendingCall::giveUp);
			if (isFull()) {
				return CompletableFuture.failedStage(RedisFailures.tooMany());
			}
		}
		try {
			PendingCall<byte[]> started = this.runner.start(call, Deadline.after(LONGEST));
			this.underWay.add(started);
			endInTime(started);
			return started;
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedStage(RedisFailures.of(ex));
		}
	}

	private boolean isFull() {
		return this.underWay.size() >= this.runner.mostUnawaited();
	}

	private void endInTime(PendingCall<byte[]> call) {
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
