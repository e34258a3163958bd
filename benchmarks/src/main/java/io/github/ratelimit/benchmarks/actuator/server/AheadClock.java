package io.github.ratelimit.benchmarks.actuator.server;

import io.github.ratelimit.RateLimitClock;

/**
 * The system's clock, which can be put forward.
 */
final class AheadClock implements RateLimitClock {

	private final RateLimitClock system = RateLimitClock.system();

	private volatile long ahead;

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
