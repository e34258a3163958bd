package io.github.ratelimit;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Watches the first hundred requests for something that should work in at least one of
 * them. Afterwards it only reads a number.
 *
 * @since 0.1.0
 */
public final class Probation {

	private static final int REQUESTS = 100;

	/* So far below zero that no counting leads back. */
	private static final int OVER = Integer.MIN_VALUE;

	private final AtomicInteger failures = new AtomicInteger();

	/**
	 * Notes a request.
	 * @param worked whether it worked in this one
	 * @return {@code true} once: for the last of the first hundred, if it worked in none
	 */
	public boolean isFailedBy(boolean worked) {
		if (this.failures.get() < 0) {
			return false;
		}
		if (worked) {
			this.failures.set(OVER);
			return false;
		}
		if (this.failures.incrementAndGet() != REQUESTS) {
			return false;
		}
		this.failures.set(OVER);
		return true;
	}

}
