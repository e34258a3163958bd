package io.github.ratelimit.redis;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * How long one request may still wait for Redis.
 * <p>
 * All that its own decisions wait for counts. Its calls may be many, and each has the
 * whole time, less what the request and its other calls have waited in vain.
 */
final class WaitingTime {

	private final Duration timeout;

	private final @Nullable WaitingTime request;

	private long usedNanos;

	private long vainNanos;

	WaitingTime(Duration timeout) {
		this(timeout, null);
	}

	private WaitingTime(Duration timeout, @Nullable WaitingTime request) {
		this.timeout = timeout;
		this.request = request;
	}

	/**
	 * The time of a call within the request.
	 */
	WaitingTime call() {
		return new WaitingTime(this.timeout, (this.request != null) ? this.request : this);
	}

	/**
	 * What is left.
	 */
	Duration left() {
		long gone = this.usedNanos + ((this.request != null) ? this.request.vainNanos : 0);
		Duration left = this.timeout.minusNanos(gone);
		return left.isNegative() ? Duration.ZERO : left;
	}

	/**
	 * Notes a wait.
	 * @param nanos how long it was
	 * @param inVain whether something was not answered
	 */
	void use(long nanos, boolean inVain) {
		if (inVain && this.request != null) {
			this.request.use(nanos, true);
			return;
		}
		this.usedNanos += nanos;
		this.vainNanos += inVain ? nanos : 0;
	}

}
