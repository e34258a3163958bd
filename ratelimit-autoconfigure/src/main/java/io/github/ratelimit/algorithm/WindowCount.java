package io.github.ratelimit.algorithm;

import java.time.Duration;
import java.time.Instant;
import java.time.Period;

import io.github.ratelimit.CalendarWindow;

/**
 * Windows of one length, aligned to the epoch, and a window's number and count in one
 * word. They fit, because a limit is at most a million a second.
 */
class WindowCount {

	private final long window;

	private final int bits;

	WindowCount(long most, long window) {
		this.window = window;
		this.bits = Long.SIZE - Long.numberOfLeadingZeros(most);
	}

	long indexAt(long moment) {
		return moment / this.window;
	}

	/*
	 * The window of the moment, or the one that was counted last if that is later. Most
	 * often it is the latter, and a division costs as much as the rest of a decision.
	 */
	long indexAt(long moment, long counted) {
		return (moment - start(counted) < this.window) ? counted : indexAt(moment);
	}

	long start(long index) {
		return index * this.window;
	}

	long end(long index) {
		return start(index + 1);
	}

	/**
	 * The largest count that a word holds.
	 */
	final long largestCount() {
		return (1L << this.bits) - 1;
	}

	final long word(long index, long count) {
		return index << this.bits | count;
	}

	final long index(long word) {
		return word >>> this.bits;
	}

	final long count(long word) {
		return word & largestCount();
	}

	/**
	 * Windows of a calendar, and a window's number and count in one word. The calendar is
	 * asked when a window begins, and while it lasts its two ends are compared with.
	 * <p>
	 * A window's number is the hour, of days, or the day, of longer ones, in which it
	 * begins, counted from the epoch. Until the year 2300 it leaves the count bits for
	 * twice a million a second.
	 */
	static final class CalendarWindowCount extends WindowCount {

		private static final Duration HOUR = Duration.ofHours(1);

		private static final Duration DAY = Duration.ofDays(1);

		/*
		 * Later ones are those of words that are read while they change, which need no
		 * right answer.
		 */
		private static final Instant LAST = Instant.parse("2200-01-01T00:00:00Z");

		private final CalendarWindow calendar;

		private final Tick resolution;

		/* No two windows begin in the same one, and every window is at least as long. */
		private final long unit;

		private final long lastIndex;

		/*
		 * Need not be volatile: a window is immutable, and each is as good as the other.
		 */
		private Window latest = new Window(-1, 0, 0);

		CalendarWindowCount(long most, CalendarWindow calendar, Tick resolution) {
			this(most, calendar, resolution, resolution.ticks(calendar.period().equals(Period.ofDays(1)) ? HOUR : DAY));
		}

		private CalendarWindowCount(long most, CalendarWindow calendar, Tick resolution, long unit) {
			super(most, unit);
			this.calendar = calendar;
			this.resolution = resolution;
			this.unit = unit;
			this.lastIndex = resolution.ticks(LAST) / unit;
		}

		@Override
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

		@Override
		long indexAt(long moment, long counted) {
			Window latest = this.latest;
			return (latest.index == counted && moment < latest.end) ? counted : indexAt(moment);
		}

		@Override
		long start(long index) {
			return window(index).start;
		}

		@Override
		long end(long index) {
			return window(index).end;
		}

		private Window window(long index) {
			Window latest = this.latest;
			return (latest.index == index) ? latest : find((Math.min(index, this.lastIndex) + 1) * this.unit);
		}

		private Window find(long moment) {
			Instant instant = this.resolution.instant(moment);
			long start = this.resolution.ticks(this.calendar.start(instant));
			long end = this.resolution.ticks(this.calendar.end(instant));
			return new Window(Math.max(0, start / this.unit), start, end);
		}

		private record Window(long index, long start, long end) {
		}

	}

}
