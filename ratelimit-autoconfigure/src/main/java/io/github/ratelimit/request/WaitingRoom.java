package io.github.ratelimit.request;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Bounds how many may wait at once, over all policies and keys: requests that are
 * suspended, and calls that wait without a thread. Each holds memory, and a request its
 * connection.
 *
 * @since 0.1.0
 */
public final class WaitingRoom {

	private final AtomicInteger waiting = new AtomicInteger();

	private final int maximum;

	/**
	 * Creates an empty room.
	 * @param maximum how many may wait at once, from 0
	 */
	public WaitingRoom(int maximum) {
		this.maximum = maximum;
	}

	/**
	 * Takes a place, if one is free. It is freed by {@link #leave()}.
	 * @return whether there was one
	 */
	public boolean enter() {
		int present = this.waiting.get();
		while (present < this.maximum) {
			if (this.waiting.compareAndSet(present, present + 1)) {
				return true;
			}
			present = this.waiting.get();
		}
		return false;
	}

	/**
	 * Gives a place back.
	 */
	public void leave() {
		this.waiting.decrementAndGet();
	}

	/**
	 * How many places are taken.
	 * @return the number now
	 */
	public int waiting() {
		return this.waiting.get();
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
