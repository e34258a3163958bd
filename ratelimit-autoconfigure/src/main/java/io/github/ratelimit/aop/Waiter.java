package io.github.ratelimit.aop;

import java.util.function.Consumer;

/**
 * Lets time pass.
 */
interface Waiter {

	/**
	 * Waits on the calling thread.
	 * @param nanos how long
	 * @throws InterruptedException if the thread is interrupted
	 */
	void sleep(long nanos) throws InterruptedException;

	/**
	 * Whether who sleeps holds a thread of the platform, of which there are only so many.
	 * @return {@code false} where callers are virtual threads
	 */
	boolean holdsThread();

	/**
	 * Runs a task later. No thread waits for it.
	 * @param nanos how much later
	 * @param task the task
	 * @param refused is told if nothing would run the task
	 */
	void after(long nanos, Runnable task, Consumer<Throwable> refused);

}
