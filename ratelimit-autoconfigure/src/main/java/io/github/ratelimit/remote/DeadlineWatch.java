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

	private final Queue<PendingAnswer<?, ?>> watched = new ConcurrentLinkedQueue<>();

	private final AtomicBoolean ticking = new AtomicBoolean();

	/**
	 * Fails an answer with a {@link TimeoutException} if it is not there at its deadline.
	 */
	void add(PendingAnswer<?, ?> answer) {
		this.watched.add(answer);
		go();
	}

	private void go() {
		if (!this.ticking.get() && !this.watched.isEmpty() && this.ticking.compareAndSet(false, true)) {
			NEXT_TICK.execute(this::tick);
		}
	}

	private void tick() {
		try {
			this.watched.removeIf(DeadlineWatch::isOver);
		}
		finally {
			this.ticking.set(false);
			go();
		}
	}

	private static boolean isOver(PendingAnswer<?, ?> answer) {
		return answer.isDone()
				|| answer.deadline.remainingNanos() == 0 && answer.completeExceptionally(new TimeoutException());
	}

}
