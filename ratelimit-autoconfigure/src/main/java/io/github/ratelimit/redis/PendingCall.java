package io.github.ratelimit.redis;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.remote.StoreCallException;
import org.jspecify.annotations.Nullable;

/**
 * A call that is on its way to a server until it is answered, or until its deadline.
 */
abstract class PendingCall extends CompletableFuture<byte[]> {

	final Deadline deadline;

	/**
	 * Why the call is asked again, while a cluster moves its keys.
	 */
	volatile @Nullable StoreCallException moving;

	PendingCall(Deadline deadline) {
		this.deadline = deadline;
	}

	/**
	 * Waits for the answer.
	 * @throws StoreCallException if there is none in time, or an error
	 */
	final byte[] await() {
		try {
			return get(this.deadline.remainingNanos(), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			throw giveUp();
		}
		catch (ExecutionException | CancellationException ex) {
			throw RedisFailures.of((ex.getCause() != null) ? ex.getCause() : ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw StoreCallException.interrupted(ex);
		}
	}

	/**
	 * Ends the call, because no caller waits for it any longer.
	 * @return its failure
	 */
	final StoreCallException giveUp() {
		StoreCallException movingStill = this.moving;
		StoreCallException failure = (movingStill != null) ? movingStill
				: StoreCallException.noAnswer(this.deadline.timeout());
		if (completeExceptionally(failure)) {
			givenUp(failure);
		}
		return failure;
	}

	/**
	 * Called when the call was given up.
	 */
	abstract void givenUp(StoreCallException failure);

}
