package io.github.ratelimit.remote;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Sends calls of one kind that no caller waits for. A bounded number is under way at a
 * time.
 */
final class PostedCalls {

	private static final int MAX_UNDER_WAY = 256;

	/**
	 * The time that a call waits for its answer.
	 */
	static final Duration MAX_WAIT = Duration.ofSeconds(1);

	private final AtomicInteger underWay = new AtomicInteger();

	/**
	 * Sends a call, once: one that fails is not tried again.
	 * @return the answer, or a {@link StoreCallException}
	 */
	<T> CompletionStage<T> post(RemoteStore.Call<T> call) {
		if (this.underWay.get() >= MAX_UNDER_WAY) {
			return CompletableFuture.failedStage(
					new StoreCallException("too many calls are under way", null, StoreCallException.Blame.CALLER));
		}
		this.underWay.incrementAndGet();
		RemoteStore.Answer<T> answer = call.start(Deadline.after(MAX_WAIT));
		return answer.later(answer::await).whenComplete((said, failure) -> this.underWay.decrementAndGet());
	}

}
