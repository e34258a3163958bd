package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.util.List;

import io.github.ratelimit.CalendarWindow;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.algorithm.Tick;

/**
 * The part of a fixed window counter in the windows of a calendar, of which the script
 * gets three: the one that a moment lies in, and those before and after it.
 */
final class CalendarWindowScript extends FixedWindowScript {

	private final CalendarWindow windows;

	private final long begin;

	private final long end;

	CalendarWindowScript(RateLimit limit, CalendarWindow windows, boolean charged, long now) {
		super(limit, charged, List.of("fixed-window-counter.lua", "calendar-window-counter.lua"));
		this.windows = windows;
		this.begin = start(now);
		this.end = end(now);
	}

	private long start(long micros) {
		return Tick.MICROSECOND.ticks(this.windows.start(Tick.MICROSECOND.instant(micros)));
	}

	private long end(long micros) {
		return Tick.MICROSECOND.ticks(this.windows.end(Tick.MICROSECOND.instant(micros)));
	}

	@Override
	LimitScript at(long now) {
		if (now >= this.begin && now < this.end) {
			return this;
		}
		return new CalendarWindowScript(this.limit, this.windows, this.charged, now);
	}

	@Override
	List<Long> numbers(long most, boolean withoutDelay) {
		return List.of(start(this.begin - 1), this.begin, this.end, end(this.end), this.capacity,
				(long) this.windows.toString().hashCode());
	}

	@Override
	long readEnd(ByteBuffer answer) {
		return readNumber(answer);
	}

}
