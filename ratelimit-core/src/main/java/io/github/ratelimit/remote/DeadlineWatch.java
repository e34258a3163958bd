package io.github.ratelimit.remote;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * Ends calls at their deadlines for callers that do not wait. All have one timer, which
 * stands still while there are none: nearly every timer of a call's own would be
 * cancelled, and event loops would queue for the lock of those that are set.
 */
final class DeadlineWatch {

	/* The time by which a call may end later than its deadline. */
	private static final long TICK_MILLIS = 10;

	private static final Executor NEXT_TICK = CompletableFuture.delayedExecutor(TICK_MILLIS, TimeUnit.MILLISECONDS,
			Runnable::run);

	private final Queue<BooleanSupplier> watched = new ConcurrentLinkedQueue<>();

	private final AtomicBoolean ticking = new AtomicBoolean();

	/**
	 * Watches something.
	 * @param end ends what has reached its deadline, and says whether nothing is left
	 */
	void add(BooleanSupplier end) {
		this.watched.add(end);
		go();
	}

	private void go() {
		if (!this.ticking.get() && !this.watched.isEmpty() && this.ticking.compareAndSet(false, true)) {
			NEXT_TICK.execute(this::tick);
		}
	}

	private void tick() {
		try {
			this.watched.removeIf(BooleanSupplier::getAsBoolean);
		}
		finally {
			this.ticking.set(false);
			go();
		}
	}

}
