package io.github.ratelimit.policy;

import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitSettlement;
import org.jspecify.annotations.Nullable;

/**
 * Counts outcomes, exactly, for any number of threads.
 * <p>
 * One atomic change more would take an eighth of a decision's time. Therefore a thread
 * has a row of counters of its own, which only it writes to, for as long as it lives; the
 * next thread that gets the row goes on from its counts. Threads that find their row
 * taken share counters.
 */
final class OutcomeCounts {

	private static final int ROWS = 256;

	/* How many numbers a cache line has. */
	private static final int LINE = 8;

	/*
	 * One for each outcome, in whole cache lines, so that two threads that count the same
	 * outcome write to different ones.
	 */
	private static final int COLUMNS = (mostOutcomes() + LINE - 1) / LINE * LINE;

	/* They are held weakly, because a thread keeps its application's class loader. */
	private static final AtomicReferenceArray<@Nullable WeakReference<Thread>> OWNERS = new AtomicReferenceArray<>(
			ROWS);

	private final AtomicLongArray owned = new AtomicLongArray(ROWS * COLUMNS);

	private final LongAdder[] shared = new LongAdder[COLUMNS];

	OutcomeCounts() {
		for (int i = 0; i < COLUMNS; i++) {
			this.shared[i] = new LongAdder();
		}
	}

	private static int mostOutcomes() {
		return Math.max(RateLimitOutcome.values().length, RateLimitSettlement.values().length);
	}

	void add(Enum<?> outcome) {
		Thread thread = Thread.currentThread();
		int row = (int) thread.getId() & (ROWS - 1);
		WeakReference<Thread> owner = OWNERS.getPlain(row);
		if ((owner != null && owner.refersTo(thread)) || claim(row, thread)) {
			int at = row * COLUMNS + outcome.ordinal();
			this.owned.setOpaque(at, this.owned.getPlain(at) + 1);
		}
		else {
			this.shared[outcome.ordinal()].increment();
		}
	}

	/*
	 * Whoever sees that a thread is not alive sees all that it has written. A thread that
	 * was collected writes nothing more either.
	 */
	private static boolean claim(int row, Thread thread) {
		WeakReference<Thread> owner = OWNERS.get(row);
		Thread known = (owner != null) ? owner.get() : null;
		return (known == null || !known.isAlive()) && OWNERS.compareAndSet(row, owner, new WeakReference<>(thread));
	}

	long sum(Enum<?> outcome) {
		long sum = this.shared[outcome.ordinal()].sum();
		for (int at = outcome.ordinal(); at < this.owned.length(); at += COLUMNS) {
			sum += this.owned.getOpaque(at);
		}
		return sum;
	}

}
