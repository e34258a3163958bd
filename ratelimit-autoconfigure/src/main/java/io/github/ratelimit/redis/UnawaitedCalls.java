package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Calls under way that no caller waits for: a bounded number, each for a bounded time.
 */
final class UnawaitedCalls {

	/**
	 * How many are under way.
	 */
	static final int MOST = 256;

	/**
	 * How long a call waits for its answer.
	 */
	static final Duration LONGEST = Duration.ofSeconds(1);

	private final Set<LettuceScriptCall> underWay = ConcurrentHashMap.newKeySet();

	private final ScheduledExecutorService scheduler;

	/**
	 * Creates an empty set of calls.
	 * @param scheduler ends calls that get no answer
	 */
	UnawaitedCalls(ScheduledExecutorService scheduler) {
		this.scheduler = scheduler;
	}

	/**
	 * Sends a call, if there is room for it.
	 * @return the call, or a failure that blames the caller
	 */
	CompletionStage<byte[]> start(LettuceScriptCall call) {
		if (this.underWay.size() >= MOST) {
			this.underWay.stream().filter(LettuceCall::isOver).forEach(LettuceCall::giveUp);
			if (this.underWay.size() >= MOST) {
				return CompletableFuture.failedStage(RedisFailures.tooMany());
			}
		}
		this.underWay.add(call);
		try {
			Future<?> end = this.scheduler.schedule(call::giveUp, LONGEST.toNanos(), TimeUnit.NANOSECONDS);
			call.whenComplete((answer, failure) -> {
				this.underWay.remove(call);
				end.cancel(false);
			});
			call.start();
		}
		catch (RuntimeException ex) {
			this.underWay.remove(call);
			call.completeExceptionally(RedisFailures.of(ex));
		}
		return call;
	}

}
