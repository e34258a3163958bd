package io.github.ratelimit.request;

import java.util.List;

import io.github.ratelimit.RateLimitClock;
import org.jspecify.annotations.Nullable;

/**
 * How long an acquisition delays its request, and the request's place in the
 * {@link WaitingRoom} meanwhile.
 */
final class Waiting {

	private static final long NO_DELAY = Long.MIN_VALUE;

	static final Runnable NO_PLACE = () -> {
	};

	private final RateLimitClock clock;

	private final @Nullable WaitingRoom room;

	private final long longestWaitNanos;

	private boolean mayWait = true;

	private @Nullable Runnable place;

	private long readyAtNanos = NO_DELAY;

	Waiting(RateLimitClock clock, @Nullable WaitingRoom room, long longestWaitNanos) {
		this.clock = clock;
		this.room = room;
		this.longestWaitNanos = longestWaitNanos;
	}

	/**
	 * Takes a place in the room if a policy may delay the request. Without a place no
	 * policy delays it.
	 */
	void seekPlace(List<PermitRequest> requests, boolean needed) {
		this.mayWait = true;
		WaitingRoom room = this.room;
		if (!needed || room == null || this.place != null) {
			return;
		}
		for (int i = 0; i < requests.size(); i++) {
			if (requests.get(i).version().longestDelayNanos() > 0) {
				this.place = room.enter();
				this.mayWait = this.place != null;
				return;
			}
		}
	}

	/**
	 * Whether a policy must reject what it would otherwise delay.
	 */
	boolean isAskedWithoutDelay(PermitRequest request) {
		long delay = request.version().longestDelayNanos();
		return delay > 0 && !(this.mayWait && delay <= this.longestWaitNanos);
	}

	void delay(long nanos) {
		this.readyAtNanos = Math.max(this.readyAtNanos, this.clock.nanos() + nanos);
	}

	void noDelay() {
		this.readyAtNanos = NO_DELAY;
	}

	/**
	 * How long the request must still wait.
	 * @return nanoseconds until the last of the delays is over, or 0
	 */
	long delayNanos() {
		return (this.readyAtNanos != NO_DELAY) ? Math.max(0, this.readyAtNanos - this.clock.nanos()) : 0;
	}

	/**
	 * Whether the request has a place to wait that nothing has taken over.
	 * @return {@code true} until it waits or is over
	 */
	boolean hasPlace() {
		return this.place != null;
	}

	/**
	 * Hands the request's place over to what makes it wait.
	 * @return gives the place back, however often it is run; does nothing if there is
	 * none
	 */
	Runnable takePlace() {
		Runnable place = this.place;
		this.place = null;
		return (place != null) ? place : NO_PLACE;
	}

	/**
	 * Gives the place back, if there is one that nothing has taken over.
	 */
	void leave() {
		takePlace().run();
	}

}
