package io.github.ratelimit;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * {@link System#nanoTime()}, shifted to the epoch.
 */
final class SystemRateLimitClock implements RateLimitClock {

	private final long offset;

	SystemRateLimitClock() {
		this.offset = ChronoUnit.NANOS.between(Instant.EPOCH, Instant.now()) - System.nanoTime();
	}

	@Override
	public long nanos() {
		return System.nanoTime() + this.offset;
	}

	@Override
	public boolean isMonotonic() {
		return true;
	}

}
