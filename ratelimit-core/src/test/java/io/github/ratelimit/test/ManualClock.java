package io.github.ratelimit.test;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

import io.github.ratelimit.RateLimitClock;

/**
 * A clock that stands still until a test moves it, forwards or back.
 *
 * @since 0.1.0
 */
public final class ManualClock implements RateLimitClock {

	private final AtomicLong now;

	/**
	 * Creates a clock.
	 * @param now nanoseconds since the epoch
	 */
	public ManualClock(long now) {
		this.now = new AtomicLong(now);
	}

	/**
	 * Creates a clock that starts at a moment at which windows of every usual length
	 * begin.
	 * @return a clock
	 */
	public static ManualClock atMidnight() {
		return new ManualClock(Duration.ofSeconds(Instant.parse("2026-03-05T00:00:00Z").getEpochSecond()).toNanos());
	}

	@Override
	public long nanos() {
		return this.now.get();
	}

	/**
	 * Moves the clock.
	 * @param by how far; negative moves it back
	 */
	public void advance(Duration by) {
		advanceNanos(by.toNanos());
	}

	/**
	 * Moves the clock.
	 * @param nanos how far; negative moves it back
	 * @return the new time
	 */
	public long advanceNanos(long nanos) {
		return this.now.addAndGet(nanos);
	}

}
