package io.github.ratelimit.remote;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.github.ratelimit.RateLimitClock;
import org.jspecify.annotations.Nullable;

/**
 * Keeps requests from queueing up behind a server that does not answer.
 * <p>
 * A single failure changes nothing. After several in a row, with no answer in between,
 * the breaker opens: one call tries again at once, and all others do without the server.
 * If that call is answered, the breaker closes. Otherwise an outage begins, and one call
 * tries again in each retry interval.
 */
final class Breaker {

	/**
	 * How many failures in a row open the breaker.
	 */
	static final int FAILURES = 3;

	private static final long CLOSED = Long.MIN_VALUE;

	private final AtomicLong retryAt = new AtomicLong(CLOSED);

	private final RateLimitClock clock;

	private final long intervalNanos;

	private final OutageLog log;

	private volatile int failuresInARow;

	private boolean outage;

	private boolean rejectsWrites;

	/* When the breaker last opened or closed. */
	private long turnedAt = Long.MIN_VALUE;

	private volatile long outages;

	private volatile @Nullable String failure;

	/**
	 * Creates a closed breaker.
	 * @param clock this process' time
	 * @param interval how often a server that does not answer is asked
	 * @param server what log lines call the server
	 */
	Breaker(RateLimitClock clock, Duration interval, String server) {
		this.clock = clock;
		this.intervalNanos = interval.toNanos();
		this.log = new OutageLog(server, clock);
	}

	/**
	 * Whether to ask the server now. A caller that may must report how it went.
	 */
	boolean mayCall() {
		long retry = this.retryAt.get();
		if (retry == CLOSED) {
			return true;
		}
		long now = this.clock.nanos();
		return now >= retry && this.retryAt.compareAndSet(retry, now + this.intervalNanos);
	}

	/**
	 * Notes an answer. Where the server has rejected writes, an answer that wrote nothing
	 * does not say that it takes them again: the next call may try.
	 * @param wrote whether the server is known to have written
	 */
	void succeeded(boolean wrote) {
		if (this.failuresInARow > 0) {
			available(wrote);
		}
	}

	private synchronized void available(boolean wrote) {
		if (this.rejectsWrites && !wrote) {
			if (!isAvailable()) {
				this.retryAt.set(this.clock.nanos());
			}
			return;
		}
		this.failuresInARow = 0;
		this.rejectsWrites = false;
		this.failure = null;
		if (this.retryAt.getAndSet(CLOSED) != CLOSED) {
			this.turnedAt = this.clock.nanos();
		}
		this.outage = false;
		this.log.answered();
	}

	/**
	 * Notes a failure, unless it says nothing about the server's present.
	 * @param askedAt when the server was asked
	 */
	void failed(StoreCallException cause, long askedAt) {
		switch (cause.blame()) {
			case KEY, MOVE -> succeeded(false);
			case SERVER, WRITES, NODE -> unavailable(cause, askedAt);
			case CALLER -> {
			}
		}
	}

	/*
	 * A call from before the breaker last opened or closed failed for the same reason as
	 * those that have counted.
	 */
	private synchronized void unavailable(StoreCallException cause, long askedAt) {
		if (askedAt < this.turnedAt) {
			return;
		}
		this.rejectsWrites = cause.blame() != StoreCallException.Blame.SERVER;
		this.log.failed();
		if (isAvailable()) {
			this.failuresInARow++;
			if (this.failuresInARow == FAILURES) {
				this.failure = cause.getMessage();
				this.turnedAt = this.clock.nanos();
				this.retryAt.set(this.turnedAt);
			}
			return;
		}
		this.failure = cause.getMessage();
		this.retryAt.set(this.clock.nanos() + this.intervalNanos);
		if (!this.outage) {
			this.outage = true;
			this.outages++;
		}
		this.log.cannotDecide(String.valueOf(cause.getMessage()));
	}

	/**
	 * Notes a decision that was made without the server.
	 */
	void decidedWithout() {
		this.log.decidedWithout();
	}

	/**
	 * Notes that the server is gone: others have its keys.
	 */
	synchronized void drop() {
		this.outage = false;
		this.log.dropped();
	}

	boolean isAvailable() {
		return this.retryAt.get() == CLOSED;
	}

	long outages() {
		return this.outages;
	}

	@Nullable String failure() {
		return this.failure;
	}

}
