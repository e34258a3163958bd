package io.github.ratelimit.resilience;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The settlements of all policies that are on their way to the store and that nobody
 * waits for. There are only so many at a time: where a store has become slow, further
 * ones would fill the heap.
 */
final class Settlements {

	static final int MOST = 1000;

	private final AtomicInteger underway = new AtomicInteger();

	/**
	 * Begins one, if there are not too many.
	 * @return whether there is room; then the caller {@link #end ends} it
	 */
	boolean begin() {
		if (this.underway.incrementAndGet() <= MOST) {
			return true;
		}
		end();
		return false;
	}

	void end() {
		this.underway.decrementAndGet();
	}

}
