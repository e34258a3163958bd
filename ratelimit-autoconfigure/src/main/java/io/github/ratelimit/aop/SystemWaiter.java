package io.github.ratelimit.aop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Lets real time pass. The platform's one timer thread only hands tasks over to the
 * executor: were it to run them, a slow one would hold up everybody else's.
 */
final class SystemWaiter implements Waiter {

	private final Executor executor;

	private final boolean virtualThreads;

	SystemWaiter(Executor executor, boolean virtualThreads) {
		this.executor = executor;
		this.virtualThreads = virtualThreads;
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
	public void after(long nanos, Runnable task, Consumer<Throwable> refused) {
		CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS, Runnable::run)
			.execute(() -> handOver(task, refused));
	}

	private void handOver(Runnable task, Consumer<Throwable> refused) {
		try {
			this.executor.execute(task);
		}
		catch (RejectedExecutionException ex) {
			refused.accept(ex);
		}
	}

}
