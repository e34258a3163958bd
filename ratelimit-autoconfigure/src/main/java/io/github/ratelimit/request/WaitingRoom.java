package io.github.ratelimit.request;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

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

	/**
	 * Creates an empty room.
	 * @param maximum how many may wait at once, from 0
	 */
	public WaitingRoom(int maximum) {
		this.maximum = maximum;
		this.places = new Semaphore(maximum);
	}

	/**
	 * Takes a place, if one is free. It is freed by {@link #leave()}.
	 * @return whether there was one
	 */
	public boolean enter() {
		return this.places.tryAcquire();
	}

	/**
	 * Gives a place back.
	 */
	public void leave() {
		this.places.release();
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

	/**
	 * A place that somebody has.
	 */
	static final class Place implements Runnable {

		private final AtomicBoolean left = new AtomicBoolean();

		private final WaitingRoom room;

		Place(WaitingRoom room) {
			this.room = room;
		}

		@Override
		public void run() {
			if (this.left.compareAndSet(false, true)) {
				this.room.leave();
			}
		}

	}

}
