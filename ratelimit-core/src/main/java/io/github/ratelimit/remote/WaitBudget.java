package io.github.ratelimit.remote;

import java.time.Duration;

import io.github.ratelimit.RateLimitClock;

/**
 * The time that one request may still wait for the store.
 * <p>
 * The waits of the request's own decisions add up. It may make many calls, and each has
 * the whole time, less what the request and its other calls have waited without an answer
 * lately. Earlier waits do not count, because a request may go on for long after the
 * store is back.
 */
final class WaitBudget {

	/* The failure of a call that has hardly any time says nothing about its server. */
	private static final int MIN_PART = 10;

	/* A wait without an answer counts until so many time-outs later. */
	private static final int LATELY = 10;

	private final Duration timeout;

	/* Tells the real time, as a deadline does. */
	private final RateLimitClock clock;

	private WaitBudget request = this;

	private long usedNanos;

	private long vainNanos;

	private long vainAt;

	WaitBudget(Duration timeout, RateLimitClock clock) {
		this.timeout = timeout;
		this.clock = clock;
	}

	/**
	 * Creates the budget of a call within the request.
	 */
	WaitBudget call() {
		WaitBudget call = new WaitBudget(this.timeout, this.clock);
		call.request = this.request;
		return call;
	}

	/**
	 * Begins to wait.
	 * @return the deadline, until which all the time is used that is left
	 */
	Deadline begin() {
		return Deadline.after(left());
	}

	/**
	 * Whether so much time is enough to ask the store.
	 */
	boolean isEnough(long nanos) {
		return nanos >= this.timeout.toNanos() / MIN_PART;
	}

	/**
	 * Returns how much time is left.
	 */
	Duration left() {
		Duration left = this.timeout.minusNanos(this.usedNanos + this.request.vainNanos());
		if (left.isNegative()) {
			return Duration.ZERO;
		}
		return left;
	}

	private long vainNanos() {
		if (this.vainNanos == 0 || this.clock.nanos() - this.vainAt > LATELY * this.timeout.toNanos()) {
			return 0;
		}
		return this.vainNanos;
	}

	/**
	 * Notes that a wait is over.
	 * @param inVain whether there was no answer
	 */
	void end(Deadline deadline, boolean inVain) {
		use(deadline.passedNanos(), inVain);
	}

	/**
	 * Notes a wait.
	 * @param nanos how long it was
	 * @param inVain whether there was no answer
	 */
	void use(long nanos, boolean inVain) {
		if (!inVain) {
			this.usedNanos += nanos;
			return;
		}
		this.request.vainNanos = this.request.vainNanos() + nanos;
		this.request.vainAt = this.clock.nanos();
	}

}
