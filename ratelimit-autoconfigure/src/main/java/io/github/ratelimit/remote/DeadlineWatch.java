package io.github.ratelimit.remote;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Ends calls at their deadlines for callers that do not wait. All have one timer, which
 * stands still while there are none: nearly every timer of a call's own would be
 * cancelled, and event loops would queue for the lock of those that are set.
 */
final class DeadlineWatch {

	/* A call may end so much later than its deadline. */
	private static final long TICK_MILLIS = 10;

	private static final Executor NEXT_TICK = CompletableFuture.delayedExecutor(TICK_MILLIS, TimeUnit.MILLISECONDS,
			Runnable::run);

	private final Queue<Watched> watched = new ConcurrentLinkedQueue<>();

	private final AtomicBoolean ticking = new AtomicBoolean();

	/**
	 * Fails a call with a {@link TimeoutException} if it is not over at its deadline.
	 */
	void add(Deadline deadline, CompletableFuture<?> call) {
		this.watched.add(new Watched(deadline, call));
		go();
	}

	private void go() {
		if (!this.ticking.get() && !this.watched.isEmpty() && this.ticking.compareAndSet(false, true)) {
			NEXT_TICK.execute(this::tick);
		}
	}

	private void tick() {
		try {
			this.watched.removeIf(Watched::isOver);
		}
		finally {
			this.ticking.set(false);
			go();
		}
	}

	private record Watched(Deadline deadline, CompletableFuture<?> call) {

		boolean isOver() {
			if (!this.call.isDone() && this.deadline.remainingNanos() == 0) {
				this.call.completeExceptionally(new TimeoutException());
			}
			return this.call.isDone();
		}

	}

}
