package io.github.ratelimit.redis;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.remote.StoreCallException;

/**
 * A call that is on its way to a server until it is answered, or until its deadline.
 *
 * @param <T> the answer's type
 */
abstract class PendingCall<T> extends CompletableFuture<T> {

	final Deadline deadline;

	PendingCall(Deadline deadline) {
		this.deadline = deadline;
	}

	/**
	 * Waits for the answer.
	 * @throws StoreCallException if there is none in time, or an error
	 */
	final T await() {
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
	abstract StoreCallException giveUp();

	final boolean isOver() {
		return this.deadline.remainingNanos() == 0;
	}

}
