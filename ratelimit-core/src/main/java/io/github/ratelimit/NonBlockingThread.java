package io.github.ratelimit;

import org.jspecify.annotations.Nullable;

/**
 * A thread that must not wait, because all that it serves would wait with it, such as
 * that of an event loop. Reactor has a mark for them.
 *
 * @since 0.1.0
 */
public final class NonBlockingThread {

	private static final @Nullable Class<?> MARK = mark();

	private NonBlockingThread() {
	}

	private static @Nullable Class<?> mark() {
		try {
			return Class.forName("reactor.core.scheduler.NonBlocking");
		}
		catch (ClassNotFoundException ex) {
			return null;
		}
	}

	/**
	 * Whether the caller's thread is one.
	 * @return {@code false} if it may wait, or if there is no Reactor
	 */
	public static boolean isCurrent() {
		return MARK != null && MARK.isInstance(Thread.currentThread());
	}

	/**
	 * Refuses to wait on such a thread, as Reactor does.
	 * @param awaited what would be waited for
	 * @throws IllegalStateException if the caller's thread is one
	 */
	public static void refuse(String awaited) {
		if (isCurrent()) {
			throw new IllegalStateException("A rate limit would wait for " + awaited
					+ ", which is not supported in thread " + Thread.currentThread().getName()
					+ ". Return a Mono, a Flux or a CompletableFuture from the limited method, or let it suspend; or call "
					+ "it on a thread that may wait, such as those of Schedulers.boundedElastic().");
		}
	}

}
