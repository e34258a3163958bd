package io.github.ratelimit;

import java.time.Instant;
import java.util.concurrent.ScheduledThreadPoolExecutor;
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

	/**
	 * A clock's time as it was a moment ago, for what need not be exact: to ask the
	 * system can cost more than a decision. It is read in the background as long as it is
	 * asked for.
	 */
	private static final class CoarseTime {

		private static final long TICK = TimeUnit.MILLISECONDS.toNanos(100);

		private static final ScheduledThreadPoolExecutor TICKS = new ScheduledThreadPoolExecutor(1,
				new BackgroundThreads("ratelimit-time"));

		static {
			TICKS.setKeepAliveTime(10, TimeUnit.SECONDS);
			TICKS.allowCoreThreadTimeOut(true);
		}

		private final RateLimitClock clock;

		/* Zero while nothing asks. */
		private volatile long now;

		private volatile boolean asked;

		CoarseTime(RateLimitClock clock) {
			this.clock = clock;
		}

		long nanos() {
			long now = this.now;
			if (now == 0) {
				return start();
			}
			if (!this.asked) {
				this.asked = true;
			}
			return now;
		}

		private synchronized long start() {
			long now = this.clock.nanos();
			if (this.now == 0) {
				this.now = now;
				schedule();
			}
			return now;
		}

		private synchronized void tick() {
			boolean asked = this.asked;
			this.asked = false;
			this.now = asked ? this.clock.nanos() : 0;
			if (asked) {
				schedule();
			}
		}

		private void schedule() {
			TICKS.schedule(this::tick, TICK, TimeUnit.NANOSECONDS);
		}

	}

}
