package io.github.ratelimit;

import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * {@link System#nanoTime()}, shifted to the epoch.
 */
final class SystemRateLimitClock implements RateLimitClock {

	private final long offset;

	SystemRateLimitClock() {
		Instant wall = Instant.now();
		this.offset = TimeUnit.SECONDS.toNanos(wall.getEpochSecond()) + wall.getNano() - System.nanoTime();
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
