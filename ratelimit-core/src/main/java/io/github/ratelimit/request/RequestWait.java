package io.github.ratelimit.request;

import java.util.Objects;

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

	/* Frees the slot, unless it has been handed over. */
	private @Nullable Runnable slot;

	private long readyAtNanos = NO_DELAY;

	RequestWait(WaitingRoom room) {
		this.room = room;
	}

	/**
	 * Takes a slot, unless there is one already.
	 * @return {@code false} if the room is full
	 */
	boolean tryEnter() {
		if (this.slot == null) {
			this.slot = this.room.tryEnter();
		}
		return this.slot != null;
	}

	boolean hasSlot() {
		return this.slot != null;
	}

	/**
	 * Hands the slot over.
	 * @return frees the slot, however often it is run; does nothing if there is none
	 */
	Runnable handOverSlot() {
		Runnable slot = this.slot;
		this.slot = null;
		return Objects.requireNonNullElse(slot, NO_SLOT);
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
