package io.github.ratelimit.benchmarks.actuator.server;

import java.time.Duration;

import io.github.ratelimit.RateLimitClock;

/**
 * The system's clock, which can be put forward. Begins with a week, so that no window of
 * one ends a day later.
 */
final class AheadClock implements RateLimitClock {

	private static final long WEEK = Duration.ofDays(7).toNanos();

	private final RateLimitClock system = RateLimitClock.system();

	private volatile long ahead = -Math.floorMod(this.system.nanos(), WEEK);

	@Override
	public long nanos() {
		return this.system.nanos() + this.ahead;
	}

	@Override
	public boolean isMonotonic() {
		return true;
	}

	void putForward(long nanos) {
		this.ahead += nanos;
	}

}
