package io.github.ratelimit;

import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * {@link System#nanoTime()}, shifted to the epoch.
 */
final class SystemRateLimitClock implements RateLimitClock {

	private final long offset;

	private final CoarseTime coarse = new CoarseTime(this);

	private SystemRateLimitClock(long offset) {
		this.offset = offset;
	}

	static SystemRateLimitClock anchored() {
		Instant wall = Instant.now();
		return new SystemRateLimitClock(
				TimeUnit.SECONDS.toNanos(wall.getEpochSecond()) + wall.getNano() - System.nanoTime());
	}

	@Override
	public long nanos() {
		return System.nanoTime() + this.offset;
	}

	@Override
	public long coarseNanos() {
		return this.coarse.nanos();
	}

	@Override
	public boolean isMonotonic() {
		return true;
	}

}
