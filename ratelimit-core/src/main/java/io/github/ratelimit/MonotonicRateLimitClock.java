package io.github.ratelimit;

/**
 * Another clock without its steps back.
 */
final class MonotonicRateLimitClock implements RateLimitClock {

	private final RateLimitClock clock;

	private long last = Long.MIN_VALUE;

	private long lost;

	MonotonicRateLimitClock(RateLimitClock clock) {
		this.clock = clock;
	}

	@Override
	public synchronized long nanos() {
		long now = this.clock.nanos();
		if (now < this.last) {
			this.lost += this.last - now;
		}
		this.last = now;
		return now + this.lost;
	}

	@Override
	public boolean isMonotonic() {
		return true;
	}

}
