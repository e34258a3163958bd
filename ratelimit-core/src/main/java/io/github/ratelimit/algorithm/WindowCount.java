package io.github.ratelimit.algorithm;

import java.time.Duration;
import java.time.Instant;
import java.time.Period;
import java.util.concurrent.TimeUnit;

import io.github.ratelimit.CalendarWindow;
import io.github.ratelimit.RateLimit;
import org.jspecify.annotations.Nullable;

/**
 * A limit's windows, of one length and aligned to the epoch or those of a calendar, and a
 * window's number and count in one word. They fit, because a limit is at most a million a
 * second.
 * <p>
 * A window's number is that of the unit of time in which it begins, counted from the
 * epoch: its length or, of a calendar, the hour, of days, or the day, of longer ones. No
 * two windows begin in the same unit, and every window is at least as long. Until the
 * year 2300 the number leaves the count bits for 64 times a million a second, or for
 * twice as many in the windows of a calendar.
 * <p>
 * Most often a moment lies in the latest window that was found: to compare with its two
 * ends costs less than a division, and much less than to ask a calendar.
 */
final class WindowCount {

	/*
	 * Later ones are those of words that are read while they change, which need no right
	 * answer.
	 */
	private static final Instant LAST = Instant.parse("2200-01-01T00:00:00Z");

	private final @Nullable CalendarWindow calendar;

	private final Tick resolution;

	private final long unit;

	private final int bits;

	private final long last;

	/*
	 * Need not be volatile: a window is immutable, and each is as good as the other.
	 */
	private Window latest = new Window(-1, 0, 0);

	/**
	 * Creates the windows of a limit, with room for debts.
	 */
	WindowCount(RateLimit limit, Tick resolution) {
		this(limit, resolution, 2);
	}

	/**
	 * Creates the windows of a limit.
	 * @param times how many times the largest limit of a window is the most that is
	 * counted
	 */
	WindowCount(RateLimit limit, Tick resolution, int times) {
		this.calendar = limit.calendar();
		this.resolution = resolution;
		this.unit = resolution.ticks(unit(limit));
		this.last = resolution.ticks(LAST);
		long max = times * TimeUnit.NANOSECONDS.toMicros(limit.window().toNanos());
		this.bits = Long.SIZE - Long.numberOfLeadingZeros(max);
	}

	private static Duration unit(RateLimit limit) {
		CalendarWindow calendar = limit.calendar();
		if (calendar == null) {
			return limit.window();
		}
		return calendar.period().equals(Period.ofDays(1)) ? Duration.ofHours(1) : Duration.ofDays(1);
	}

	/**
	 * Whether other windows have the same length.
	 */
	boolean isLike(WindowCount other) {
		return this.unit == other.unit && !areCalendars() && !other.areCalendars();
	}

	boolean areCalendars() {
		return this.calendar != null;
	}

	long indexAt(long moment) {
		Window latest = this.latest;
		if (moment >= latest.start && moment < latest.end) {
			return latest.index;
		}

		Window found = find(moment);
		if (found.start >= latest.end) {
			this.latest = found;
		}
		return found.index;
	}

	/*
	 * The window of the moment. It may be the one that was counted last, if that is
	 * later.
	 */
	long indexAt(long moment, long counted) {
		Window latest = this.latest;
		if (latest.index == counted && moment < latest.end) {
			return counted;
		}
		return indexAt(moment);
	}

	long start(long index) {
		return window(index).start;
	}

	long end(long index) {
		return window(index).end;
	}

	/*
	 * The last tick of the unit in which a window begins is in that window.
	 */
	private Window window(long index) {
		Window latest = this.latest;
		if (latest.index == index) {
			return latest;
		}
		return find((index + 1) * this.unit - 1);
	}

	private Window find(long moment) {
		if (this.calendar == null) {
			long index = moment / this.unit;
			return new Window(index, index * this.unit, (index + 1) * this.unit);
		}

		long possible = Math.max(0, Math.min(moment, this.last));
		Instant instant = this.resolution.instant(possible);
		long start = this.resolution.ticks(this.calendar.start(instant));
		long end = this.resolution.ticks(this.calendar.end(instant));
		return new Window(Math.max(0, start / this.unit), start, end);
	}

	/**
	 * The largest count that a word holds.
	 */
	long largestCount() {
		return (1L << this.bits) - 1;
	}

	long word(long index, long count) {
		return index << this.bits | count;
	}

	long index(long word) {
		return word >>> this.bits;
	}

	long count(long word) {
		return word & largestCount();
	}

	private record Window(long index, long start, long end) {
	}

}
