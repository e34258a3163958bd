package io.github.ratelimit.request;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * How long one request or call must wait for what it has acquired, and the slot in the
 * waiting room that it has for that.
 */
final class RequestWait {

	/** Frees nothing. */
	static final Runnable NO_SLOT = () -> {
	};

	private static final long NO_DELAY = Long.MIN_VALUE;

	private final WaitingRoom room;

	/* Whom the slot counts for, unless it has been handed over. */
	private @Nullable Set<SlotHolder> slot;

	private long readyAtNanos = NO_DELAY;

	RequestWait(WaitingRoom room) {
		this.room = room;
	}

	/**
	 * Takes a slot, or has the one that is there count for others, too.
	 * @param holders whom it is to count for
	 * @return {@code false} if one of them may have no further slot
	 */
	boolean tryEnter(List<SlotHolder> holders) {
		Set<SlotHolder> slot = this.slot;
		if (slot != null) {
			return this.room.tryEnter(slot, holders);
		}

		Set<SlotHolder> taken = new HashSet<>();
		if (!this.room.tryEnter(taken, holders)) {
			return false;
		}
		this.slot = taken;
		return true;
	}

	boolean hasSlot() {
		return this.slot != null;
	}

	/**
	 * Hands the slot over.
	 * @return frees the slot, however often it is run; does nothing if there is none
	 */
	Runnable handOverSlot() {
		Set<SlotHolder> slot = this.slot;
		this.slot = null;
		if (slot == null) {
			return NO_SLOT;
		}
		return () -> this.room.leave(slot);
	}

	/**
	 * Adds a delay from now on. Of several, the one that ends last counts.
	 */
	void delay(long nanos) {
		this.readyAtNanos = Math.max(this.readyAtNanos, this.room.clock.nanos() + nanos);
	}

	/**
	 * Forgets all delays.
	 */
	void forgoDelay() {
		this.readyAtNanos = NO_DELAY;
	}

	/**
	 * How long the request must still wait.
	 * @return nanoseconds until the last of the delays is over, or 0
	 */
	long delayNanos() {
		if (this.readyAtNanos == NO_DELAY) {
			return 0;
		}
		return Math.max(0, this.readyAtNanos - this.room.clock.nanos());
	}

}
