package io.github.ratelimit.request;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.ratelimit.RateLimitClock;

/**
 * Bounds how many may wait at once, over all policies and keys: requests that are
 * suspended, and calls that wait without a thread. Each holds memory, and a request its
 * connection. So that nobody keeps all others out, a client and a key may have a quarter
 * of the slots, and a policy a half.
 *
 * @since 0.1.0
 */
public final class WaitingRoom {

	private final int maximum;

	/* How many slots each has that has one. */
	private final Map<SlotHolder, Integer> taken = new HashMap<>();

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
	}

	/**
	 * Takes a slot, if one is free for all whom it is to count for.
	 * @param slot whom the slot counts for already, nobody yet if it is not taken; it
	 * counts for the others from now on
	 * @param holders whom it is to count for
	 * @return {@code false} if one of them may have no further slot: nothing is changed
	 * then
	 */
	synchronized boolean tryEnter(Set<SlotHolder> slot, List<SlotHolder> holders) {
		for (SlotHolder holder : holders) {
			int most = holder.bound().slots(this.maximum);
			if (!slot.contains(holder) && this.taken.getOrDefault(holder, 0) >= most) {
				return false;
			}
		}

		for (SlotHolder holder : holders) {
			if (slot.add(holder)) {
				this.taken.merge(holder, 1, Integer::sum);
			}
		}
		return true;
	}

	/**
	 * Frees a slot. Does nothing if that was done before.
	 * @param slot whom it counts for; nobody afterwards
	 */
	synchronized void leave(Set<SlotHolder> slot) {
		for (SlotHolder holder : slot) {
			int left = this.taken.getOrDefault(holder, 0) - 1;
			if (left > 0) {
				this.taken.put(holder, left);
			}
			else {
				this.taken.remove(holder);
			}
		}
		slot.clear();
	}

	/**
	 * How many slots are taken.
	 * @return the number now
	 */
	public synchronized int waiting() {
		return this.taken.getOrDefault(SlotHolder.EVERYBODY, 0);
	}

	/**
	 * How many may wait at once.
	 * @return the number of slots
	 */
	public int maximum() {
		return this.maximum;
	}

	/**
	 * What bounds the slots that somebody may have. Each may have one, if there are any.
	 */
	enum Bound {

		/** Everybody together may have all slots. */
		ROOM(1),

		/** A policy may have a half of the slots. */
		POLICY(2),

		/** A key of a policy may have a quarter of the slots. */
		KEY(4),

		/** A client, by its address, may have a quarter of the slots. */
		CLIENT(4);

		private final int parts;

		Bound(int parts) {
			this.parts = parts;
		}

		int slots(int maximum) {
			if (maximum == 0) {
				return 0;
			}
			return Math.max(1, maximum / this.parts);
		}

	}

}
