package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitStoreAvailability;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Keeps requests from queueing up behind a server that does not answer: after a failure
 * one of them tries again in each retry interval, and the others are told at once.
 */
final class Breaker implements RateLimitStoreAvailability {

	private static final Log logger = LogFactory.getLog(RedisRateLimitStore.class);

	private static final long CLOSED = Long.MIN_VALUE;

	private final AtomicLong retryAt = new AtomicLong(CLOSED);

	private final AtomicLong outages = new AtomicLong();

	private final RateLimitClock clock;

	private final long intervalNanos;

	private volatile long answeredAt = Long.MIN_VALUE;

	private volatile boolean writesRefused;

	private volatile @Nullable String failure;

	Breaker(RateLimitClock clock, Duration interval) {
		this.clock = clock;
		this.intervalNanos = interval.toNanos();
	}

	/**
	 * Whether to ask the server now. Who is told so must say how it went.
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
	 * Notes an answer. One that wrote nothing does not say that a server which refused
	 * writes takes them again: whoever comes next may try.
	 * @param wrote whether the server is known to have written
	 */
	void succeeded(boolean wrote) {
		if (this.retryAt.get() == CLOSED) {
			return;
		}
		if (this.writesRefused && !wrote) {
			long now = this.clock.nanos();
			this.retryAt.updateAndGet((retry) -> (retry != CLOSED) ? now : CLOSED);
		}
		else if (this.retryAt.getAndSet(CLOSED) != CLOSED) {
			this.failure = null;
			this.answeredAt = this.clock.nanos();
			logger.info("Redis answers again: limits are shared again");
		}
	}

	/**
	 * Notes a failure, unless it says nothing about the server's present.
	 * @param askedAt when the server was asked
	 */
	void failed(RedisCallException cause, long askedAt) {
		switch (cause.blame()) {
			case KEY, MOVE -> succeeded(false);
			case SERVER, WRITES -> unavailable(cause, askedAt);
			case CALLER -> {
			}
		}
	}

	private void unavailable(RedisCallException cause, long askedAt) {
		if (askedAt < this.answeredAt) {
			return;
		}
		this.failure = cause.getMessage();
		this.writesRefused = cause.blame() == RedisCallException.Blame.WRITES;
		if (this.retryAt.getAndSet(this.clock.nanos() + this.intervalNanos) == CLOSED) {
			this.outages.incrementAndGet();
			logger.warn("Redis cannot decide (" + cause.getMessage()
					+ "): until it answers again, each policy's on-failure does");
		}
	}

	/**
	 * How long at most until the server is asked again.
	 */
	long intervalNanos() {
		return this.intervalNanos;
	}

	@Override
	public boolean isAvailable() {
		return this.retryAt.get() == CLOSED;
	}

	@Override
	public long outages() {
		return this.outages.get();
	}

	@Override
	public @Nullable String failure() {
		return this.failure;
	}

}
