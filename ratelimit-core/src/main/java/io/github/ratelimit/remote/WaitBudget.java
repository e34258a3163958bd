package io.github.ratelimit.remote;

import java.time.Duration;

import io.github.ratelimit.RateLimitClock;

/**
 * How long one request may still wait for the store.
 * <p>
 * The waits of its own decisions add up. It may make many calls, and each has the whole
 * time, less what the request and its other calls have waited without an answer lately.
 * Only lately, because a request may go on for long after the store is back.
 */
final class WaitBudget {

	/* After so many time-outs, a wait without an answer no longer counts. */
	private static final int LATELY = 10;

	private final Duration timeout;

	/* Real time, like a deadline's. */
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
	 * The time of a call within the request.
	 */
	WaitBudget call() {
		WaitBudget call = new WaitBudget(this.timeout, this.clock);
		call.request = this.request;
		return call;
	}

	/**
	 * How long a request waits at most.
	 */
	Duration timeout() {
		return this.timeout;
	}

	/**
	 * How much time is left.
	 */
	Duration left() {
		Duration left = this.timeout.minusNanos(this.usedNanos + this.request.vainNanos());
		return left.isNegative() ? Duration.ZERO : left;
	}

	private long vainNanos() {
		if (this.vainNanos > 0 && this.clock.nanos() - this.vainAt > LATELY * this.timeout.toNanos()) {
			this.vainNanos = 0;
		}
		return this.vainNanos;
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
