package io.github.ratelimit.local;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.ratelimit.BackgroundThreads;

/**
 * Visits all keys from time to time and forgets those that are idle.
 * <p>
 * A cache that expires entries by itself records the time of every read, which costs more
 * than the whole decision. A visit costs some nanoseconds a key, on no request's thread.
 */
final class IdleSweeper implements AutoCloseable {

	private static final long KEYS_A_SECOND = 500_000;

	private final List<LocalKeys<?>> all = new CopyOnWriteArrayList<>();

	private final AtomicBoolean started = new AtomicBoolean();

	private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1,
			new BackgroundThreads("ratelimit-sweeper"));

	IdleSweeper() {
		this.executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
	}

	void add(LocalKeys<?> keys) {
		this.all.add(keys);
		if (this.started.compareAndSet(false, true)) {
			scheduleNext();
		}
	}

	void sweep() {
		this.all.forEach(LocalKeys::forgetIdle);
	}

	void forgetAll() {
		this.all.forEach(LocalKeys::forgetAll);
	}

	private void sweepAndReschedule() {
		try {
			sweep();
		}
		finally {
			scheduleNext();
		}
	}

	/*
	 * Every second, and less often where there are so many keys that the visits would
	 * cost a noticeable share of a processor.
	 */
	private void scheduleNext() {
		if (!this.executor.isShutdown()) {
			long keys = this.all.stream().mapToLong(LocalKeys::size).sum();
			this.executor.schedule(this::sweepAndReschedule, 1 + keys / KEYS_A_SECOND, TimeUnit.SECONDS);
		}
	}

	@Override
	public void close() {
		this.executor.shutdown();
	}

}
