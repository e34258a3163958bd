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

	private final Semaphore slots;

	private final int maximum;

	/** This process' clock, which measures delays. */
	final RateLimitClock clock;

	/**
	 * Creates an empty room.
	 * @param clock this process' clock, which measures delays
	 * @param maximum how many may wait at once, from 0
	 */
	public WaitingRoom(RateLimitClock clock, int maximum) {
		this.clock = clock;
		this.maximum = maximum;
		this.slots = new Semaphore(maximum);
	}

	/**
	 * Takes a slot, if one is free.
	 * @return frees the slot, however often it is run; {@code null} if there was none
	 */
	public @Nullable Runnable tryEnter() {
		if (!this.slots.tryAcquire()) {
			return null;
		}
		AtomicBoolean left = new AtomicBoolean();
		return () -> {
			if (left.compareAndSet(false, true)) {
				this.slots.release();
			}
		};
	}

	/**
	 * How many slots are taken.
	 * @return the number now
	 */
	public int waiting() {
		return this.maximum - this.slots.availablePermits();
	}

	/**
	 * How many may wait at once.
	 * @return the number of slots
	 */
	public int maximum() {
		return this.maximum;
	}

}
