package io.github.ratelimit.simulation;

import java.time.Duration;
import java.util.concurrent.TimeoutException;

import io.github.ratelimit.RateLimitClock;

/**
 * The moment at which a computation is given up.
 */
final class TimeLimit {

	private final RateLimitClock stopwatch;

	private final long end;

	TimeLimit(RateLimitClock stopwatch, Duration longest) {
		this.stopwatch = stopwatch;
		this.end = stopwatch.nanos() + longest.toNanos();
	}

	void check() throws TimeoutException {
		if (this.stopwatch.nanos() > this.end) {
			throw new TimeoutException("The computation takes too long");
		}
	}

}
