package io.github.ratelimit.request;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import io.github.ratelimit.support.BackgroundThreads;
import org.jspecify.annotations.Nullable;

/**
 * Lets time pass: on a thread, or without one. One timer thread hands tasks over to an
 * executor: if it ran them itself, a slow one would delay all others. The thread starts
 * with the first task.
 *
 * @since 0.1.0
 */
public class DelayScheduler implements AutoCloseable {

	private final ScheduledThreadPoolExecutor timer;

	private final Set<CompletableFuture<?>> waiting = ConcurrentHashMap.newKeySet();

	private final Executor executor;

	private final boolean virtualThreads;

	/**
	 * Creates a scheduler.
	 * @param executor runs tasks once their wait is over
	 * @param virtualThreads whether virtual threads sleep
	 */
	public DelayScheduler(Executor executor, boolean virtualThreads) {
		this(executor, virtualThreads, new BackgroundThreads("ratelimit-delays"));
	}

	DelayScheduler(Executor executor, boolean virtualThreads, ThreadFactory threads) {
		this.timer = new ScheduledThreadPoolExecutor(1, threads, new ThreadPoolExecutor.DiscardPolicy());
		this.executor = executor;
		this.virtualThreads = virtualThreads;
		this.timer.setRemoveOnCancelPolicy(true);
	}

	/**
	 * Whether a sleep holds a thread of the platform, of which there are only so many.
	 * @return {@code false} where callers are virtual threads
	 */
	public boolean holdsThread() {
		return !this.virtualThreads;
	}

	/**
	 * Waits on the calling thread.
	 * @param nanos how long
	 * @throws InterruptedException if the thread is interrupted
	 */
	public void sleep(long nanos) throws InterruptedException {
		// Thread.sleep rounds to milliseconds on older platforms, and might wake up early
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

	/**
	 * Runs a task later. No thread waits for it.
	 * @param nanos how much later
	 * @param task the task
	 * @param rejected is called if nothing would run the task
	 * @return cancels the task if it has not run yet
	 */
	public Runnable after(long nanos, Runnable task, Consumer<Throwable> rejected) {
		CompletableFuture<@Nullable Void> wait = new CompletableFuture<>();
		this.waiting.add(wait);
		wait.whenComplete((over, stopped) -> {
			if (this.waiting.remove(wait)) {
				end(task, rejected, stopped);
			}
		});

		Future<?> timeout = schedule(wait, nanos);
		if (this.timer.isShutdown()) {
			wait.completeExceptionally(stopped());
		}
		return () -> {
			this.waiting.remove(wait);
			timeout.cancel(false);
		};
	}

	/*
	 * There may be no memory for the timer's thread. What is in its queue all the same
	 * then finds that the wait is over.
	 */
	private Future<?> schedule(CompletableFuture<@Nullable Void> wait, long nanos) {
		try {
			return this.timer.schedule(() -> wait.complete(null), nanos, TimeUnit.NANOSECONDS);
		}
		catch (RuntimeException | Error ex) {
			wait.completeExceptionally(ex);
			return wait;
		}
	}

	/*
	 * Not only an executor may reject the task: that of a context that is closing may not
	 * be there any more, or there is no memory for a thread.
	 */
	private void end(Runnable task, Consumer<Throwable> rejected, @Nullable Throwable stopped) {
		if (stopped != null) {
			rejected.accept(stopped);
			return;
		}
		try {
			this.executor.execute(task);
		}
		catch (RuntimeException | Error ex) {
			rejected.accept(ex);
		}
	}

	/**
	 * Rejects the tasks that have not run yet.
	 */
	@Override
	public void close() {
		this.timer.shutdownNow();
		for (CompletableFuture<?> wait : this.waiting) {
			wait.completeExceptionally(stopped());
		}
	}

	private static RejectedExecutionException stopped() {
		return new RejectedExecutionException("The application stops");
	}

}
