package io.github.ratelimit.benchmarks.redis;

import java.time.Duration;

/**
 * The limit that every contender enforces.
 *
 * @param permits how many permits
 * @param window in which time
 */
record Budget(long permits, Duration window) {

	/**
	 * More than a server can be asked for one key, and not more than a log may hold.
	 */
	static final Budget PLENTY = new Budget(100_000, Duration.ofMillis(100));

	/**
	 * More than is asked for one key while measuring, where many callers join their
	 * calls. No log may hold that.
	 */
	static final Budget ENDLESS = new Budget(1_000_000_000, Duration.ofHours(1));

	/**
	 * More than is asked for one of many keys while measuring, and slow to come back, so
	 * that every state lives on.
	 */
	static final Budget SLOW = new Budget(10_000, Duration.ofHours(1));

	/**
	 * Soon used up, and not renewed while measuring.
	 */
	static final Budget SCARCE = new Budget(10, Duration.ofDays(30));

	/**
	 * Used up by several instances, and not renewed while they use it.
	 */
	static final Budget SHARED = new Budget(10_000, Duration.ofDays(30));

	/**
	 * The time in which one permit comes back.
	 */
	long microsPerPermit() {
		return this.window.toNanos() / 1000 / this.permits;
	}

	double permitsPerSecond() {
		return 1_000_000.0 / microsPerPermit();
	}

}
