package io.github.ratelimit.request;

import java.util.function.Consumer;

/**
 * Lets time pass: on a thread, or without one.
 *
 * @since 0.1.0
 */
public interface DelayScheduler extends AutoCloseable {

	/**
	 * Waits on the calling thread.
	 * @param nanos how long
	 * @throws InterruptedException if the thread is interrupted
	 */
	void sleep(long nanos) throws InterruptedException;

	/**
	 * Whether a sleep holds a thread of the platform, of which there are only so many.
	 * @return {@code false} where callers are virtual threads
	 */
	boolean holdsThread();

	/**
	 * Runs a task later. No thread waits for it.
	 * @param nanos how much later
	 * @param task the task
	 * @param rejected is called if nothing would run the task
	 * @return cancels the task if it has not run yet
	 */
	Runnable after(long nanos, Runnable task, Consumer<Throwable> rejected);

	/**
	 * Rejects the tasks that have not run yet.
	 */
	@Override
	default void close() {
	}

}
