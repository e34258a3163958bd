package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.CalendarWindow;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitClock;

/**
 * Creates each limit's part in the scripts of its policy.
 */
final class LimitScriptFactory {

	private static final RateLimitClock CLOCK = RateLimitClock.system();

	private LimitScriptFactory() {
	}

	/**
	 * Creates the part of a limit.
	 * @param charged whether it is charged by outcome
	 */
	static LimitScript of(RateLimit limit, boolean charged) {
		return switch (limit.algorithm()) {
			case TOKEN_BUCKET, LEAKY_BUCKET -> new BucketScript(limit, charged);
			case FIXED_WINDOW_COUNTER -> fixedWindow(limit, charged);
			case SLIDING_WINDOW_COUNTER -> new SlidingWindowScript(limit, charged);
			case SLIDING_WINDOW_LOG -> new LogScript(limit, charged);
		};
	}

	private static LimitScript fixedWindow(RateLimit limit, boolean charged) {
		CalendarWindow calendar = limit.calendar();
		if (calendar == null) {
			return new FixedWindowScript(limit, charged, List.of("fixed-window-counter.lua"));
		}
		return new CalendarWindowScript(limit, calendar, charged, LimitScript.micros(CLOCK.nanos()));
	}

	/**
	 * Creates the part of a limit that reserves permits for requests which would be
	 * allowed within a time.
	 */
	static LimitScript reserving(RateLimit limit, Duration maxWait) {
		return switch (limit.algorithm()) {
			case TOKEN_BUCKET -> new BucketScript(limit, maxWait);
			case FIXED_WINDOW_COUNTER -> new ReservingWindowScript(limit, maxWait);
			case SLIDING_WINDOW_LOG -> new ReservingLogScript(limit, maxWait);
			case SLIDING_WINDOW_COUNTER -> new ReservingSlidingScript(limit, maxWait);
			case LEAKY_BUCKET -> throw new IllegalArgumentException("No permit can be reserved: " + limit);
		};
	}

}
