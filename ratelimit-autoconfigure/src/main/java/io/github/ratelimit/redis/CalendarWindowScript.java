package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

import io.github.ratelimit.CalendarWindow;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.FixedWindowCounter;
import io.github.ratelimit.algorithm.Tick;

/**
 * The fixed window counter in the windows of a calendar, of which the script gets three:
 * the one that a moment lies in, and those before and after it.
 */
final class CalendarWindowScript extends LimitScript {

	private static final RateLimitClock CLOCK = RateLimitClock.system();

	private final RateLimit limit;

	private final CalendarWindow windows;

	private final FixedWindowCounter algorithm;

	private final long begin;

	private final long end;

	/**
	 * Creates a limit's part for the present, as this process knows it.
	 */
	CalendarWindowScript(RateLimit limit, CalendarWindow windows, boolean charged) {
		this(limit, windows, charged, micros(CLOCK.nanos()));
	}

	private CalendarWindowScript(RateLimit limit, CalendarWindow windows, boolean charged, long now) {
		super(limit, charged, 'F', List.of("fixed-window-counter.lua", "calendar-window-counter.lua"));
		this.limit = limit;
		this.windows = windows;
		this.algorithm = (FixedWindowCounter) Algorithm.of(limit, Tick.MICROSECOND, charged);
		this.begin = start(now);
		this.end = end(now);
	}

	private long start(long micros) {
		return micros(this.windows.start(instant(micros)));
	}

	private long end(long micros) {
		return micros(this.windows.end(instant(micros)));
	}

	private static Instant instant(long micros) {
		return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
	}

	private static long micros(Instant moment) {
		return ChronoUnit.MICROS.between(Instant.EPOCH, moment);
	}

	@Override
	LimitScript at(long now) {
		return (now >= this.begin && now < this.end) ? this
				: new CalendarWindowScript(this.limit, this.windows, this.charged, now);
	}

	@Override
	List<Long> numbers(long most) {
		return List.of(start(this.begin - 1), this.begin, this.end, end(this.end), capacity(),
				(long) this.windows.toString().hashCode());
	}

	@Override
	RateLimitDecision decision(ByteBuffer answer, long now, long permits, boolean agrees) {
		long end = number(answer);
		long count = Math.min(number(answer), capacity());
		return this.algorithm.explain(now, end, count, permits, agrees);
	}

}
