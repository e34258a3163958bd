package io.github.ratelimit;

/**
 * The time by which decisions are made in this process. A bean of this type replaces the
 * system's, for tests that move time.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RateLimitClock {

	/**
	 * Reads the time.
	 * @return nanoseconds since the epoch
	 */
	long nanos();

	/**
	 * Whether the time that threads read never goes back, in whatever order they read it.
	 * A clock that does not promise it is guarded, which costs each decision a lock.
	 * @return {@code false}, unless the clock says otherwise
	 */
	default boolean isMonotonic() {
		return false;
	}

	/**
	 * The system's monotonic clock, anchored once, now, to its wall clock: it never
	 * steps, whatever is done to the wall clock later.
	 * @return a clock
	 */
	static RateLimitClock system() {
		return new SystemRateLimitClock();
	}

	/**
	 * Makes a clock safe against going back: a step back counts as time standing still,
	 * and time goes on from there.
	 * @param clock a clock that may step
	 * @return a clock that never goes back, for all threads
	 */
	static RateLimitClock monotonic(RateLimitClock clock) {
		return clock.isMonotonic() ? clock : new MonotonicRateLimitClock(clock);
	}

}
