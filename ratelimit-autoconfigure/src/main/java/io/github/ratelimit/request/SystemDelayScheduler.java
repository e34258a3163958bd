package io.github.ratelimit.request;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import io.github.ratelimit.BackgroundThreads;

/**
 * Lets real time pass. One timer thread hands tasks over to an executor: if it ran them
 * itself, a slow one would delay all others. The thread starts with the first task.
 *
 * @since 0.1.0
 */
public final class SystemDelayScheduler implements DelayScheduler {

	private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1,
			new BackgroundThreads("ratelimit-delays"));

	private final Set<Later> waiting = ConcurrentHashMap.newKeySet();

	private final Executor executor;

	private final boolean virtualThreads;

	/**
	 * Creates a delayScheduler.
	 * @param executor runs tasks once their wait is over
	 * @param virtualThreads whether virtual threads sleep
	 */
	public SystemDelayScheduler(Executor executor, boolean virtualThreads) {
		this.executor = executor;
		this.virtualThreads = virtualThreads;
		this.timer.setRemoveOnCancelPolicy(true);
	}

	@Override
	public boolean holdsThread() {
		return !this.virtualThreads;
	}

	/*
	 * Thread.sleep rounds to milliseconds on older platforms, and might wake up early.
	 */
	@Override
	public void sleep(long nanos) throws InterruptedException {
		long start = System.nanoTime();
		long rest = nanos;
		while (rest > 0) {
			LockSupport.parkNanos(this, rest);
			if (Thread.interrupted()) {
				throw new InterruptedException();
			}
			rest = nanos - (System.nanoTime() - start);
		}
	}

	@Override
	public Runnable after(long nanos, Runnable task, Consumer<Throwable> rejected) {
		Later later = new Later(task, rejected);
		this.waiting.add(later);
		try {
			Future<?> future = this.timer.schedule(() -> handOver(later), nanos, TimeUnit.NANOSECONDS);
			return () -> {
				this.waiting.remove(later);
				future.cancel(false);
			};
		}
		catch (RejectedExecutionException ex) {
			reject(later, ex);
			return () -> {
			};
		}
	}

	/*
	 * Not only an executor may reject the task: that of a context that is closing may not
	 * be there any more.
	 */
	private void handOver(Later later) {
		if (this.waiting.remove(later)) {
			try {
				this.executor.execute(later.task);
			}
			catch (RuntimeException ex) {
				later.rejected.accept(ex);
			}
		}
	}

	private void reject(Later later, RejectedExecutionException cause) {
		if (this.waiting.remove(later)) {
			later.rejected.accept(cause);
		}
	}

	@Override
	public void close() {
		this.timer.shutdownNow();
		RejectedExecutionException closed = new RejectedExecutionException("The application stops");
		this.waiting.forEach((later) -> reject(later, closed));
	}

	/* A task that waits; equal to no other. */
	private static final class Later {

		private final Runnable task;

		private final Consumer<Throwable> rejected;

		Later(Runnable task, Consumer<Throwable> rejected) {
			this.task = task;
			this.rejected = rejected;
		}

	}

}
