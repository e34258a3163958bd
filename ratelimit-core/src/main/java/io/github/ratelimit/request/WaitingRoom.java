package io.github.ratelimit.request;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.ratelimit.RateLimitClock;
import org.jspecify.annotations.Nullable;

/**
 * Bounds how many may wait at once, over all policies and keys: requests that are
 * suspended, and calls that wait without a thread. Each holds memory, and a request its
 * connection.
 *
 * @since 0.1.0
 */
public final class WaitingRoom {

	private final Semaphore places;

	private final int maximum;

	final RateLimitClock clock;

	/**
	 * Creates an empty room.
	 * @param clock this process' clock, which measures delays
	 * @param maximum how many may wait at once, from 0
	 */
	public WaitingRoom(RateLimitClock clock, int maximum) {
		this.clock = clock;
		this.maximum = maximum;
		this.places = new Semaphore(maximum);
	}

	/**
	 * Takes a place, if one is free.
	 * @return gives the place back, however often it is run; {@code null} if there was
	 * none
	 */
	public @Nullable Runnable enter() {
		if (!this.places.tryAcquire()) {
			return null;
		}
		AtomicBoolean left = new AtomicBoolean();
		return () -> {
			if (left.compareAndSet(false, true)) {
				this.places.release();
			}
		};
	}

	/**
	 * How many places are taken.
	 * @return the number now
	 */
	public int waiting() {
		return this.maximum - this.places.availablePermits();
	}

	/**
	 * How many may wait at once.
	 * @return the number of places
	 */
	public int maximum() {
		return this.maximum;
	}

}
