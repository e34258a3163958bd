package io.github.ratelimit;

import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.MonthDay;
import java.time.Period;
import java.time.ZoneId;
import java.time.temporal.TemporalAdjusters;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Pattern;

import io.github.ratelimit.support.Suggestion;
import org.jspecify.annotations.Nullable;

/**
 * The days, weeks, months or years of a time zone's calendar as the windows of a fixed
 * window counter. A window runs from its first instant to that of the next one, whatever
 * its length: a day may have 23 or 25 hours.
 *
 * @param period the period that each window lasts: a day, a week, a month or a year
 * @param zone the time zone whose calendar counts
 * @param from the day that windows begin with: a number of a week or month, month and day
 * of a year, such as {@code 04-06}; or {@code null} for the first
 * @since 0.1.0
 * @see RateLimit.Builder#window(CalendarWindow)
 */
public record CalendarWindow(Period period, ZoneId zone, @Nullable String from) {

	/* Windows of all units begin with it, unless another day is given. */
	private static final MonthDay FIRST = MonthDay.of(1, 1);

	/* These windows are neither durations nor periods of 24 hours. */
	private static final Pattern NEEDS_ZONE = Pattern.compile("P\\d+[WMY]", Pattern.CASE_INSENSITIVE);

	/* A longer text resembles no id, and would take long to compare with all of them. */
	private static final int MAX_ZONE_LENGTH = 64;

	/**
	 * Creates windows.
	 * @throws InvalidRateLimitException if the period is none of the four, or has no such
	 * day
	 */
	public CalendarWindow {
		Unit unit = Unit.of(period);
		MonthDay day = unit.day(from);
		from = day.equals(FIRST) ? null : unit.text(day);
	}

	/**
	 * Creates windows that begin at midnight, on Mondays, on the first of the month or on
	 * January 1.
	 * @param period a day, a week, a month or a year
	 * @param zone the time zone whose calendar counts
	 * @return the windows
	 * @throws InvalidRateLimitException if the period is none of the four
	 */
	public static CalendarWindow of(Period period, ZoneId zone) {
		return new CalendarWindow(period, zone, null);
	}

	/**
	 * Reads what is written of a limit's window.
	 * @param window the window, such as {@code P1M} or {@code 10s}
	 * @param zone the id of the time zone, or {@code null} if there is none
	 * @param from the day that windows begin with, as a number or, of a year, as
	 * {@code 04-06}; or {@code null} for the first
	 * @return the windows, or {@code null} if the window has nothing of a calendar
	 * @throws InvalidRateLimitException if it is no window of a calendar and has a zone
	 * or a first day, or if it is one and cannot be read
	 */
	public static @Nullable CalendarWindow parse(String window, @Nullable String zone, @Nullable String from) {
		if (zone == null) {
			checkNeedsNoZone(window, from);
			return null;
		}
		return new CalendarWindow(readPeriod(window.strip()), readZone(zone), from);
	}

	private static void checkNeedsNoZone(String window, @Nullable String from) {
		if (NEEDS_ZONE.matcher(window.strip()).matches()) {
			throw new InvalidRateLimitException("window", window, "is a window of a calendar and has no zone",
					"Add zone, such as Europe/Berlin or UTC, to count P1D, P1W, P1M or P1Y of its calendar with the "
							+ "algorithm fixed-window-counter; or write a duration from 1ms to 31d, such as 30d.");
		}
		if (from != null) {
			throw new InvalidRateLimitException("from", from, "is the first day of a window that has no zone",
					"Add zone, such as Europe/Berlin or UTC, and a window of P1W, P1M or P1Y; or remove the setting from.");
		}
	}

	private static Period readPeriod(String window) {
		try {
			return Period.parse(window);
		}
		catch (DateTimeException ex) {
			throw noWindow(window);
		}
	}

	private static InvalidRateLimitException noWindow(Object window) {
		return new InvalidRateLimitException("window", window, "is no window of a calendar, but the limit has a zone",
				"Write P1D, P1W, P1M or P1Y for a day, week, month or year of the zone; or remove zone.");
	}

	private static ZoneId readZone(String id) {
		try {
			return ZoneId.of(id.strip());
		}
		catch (DateTimeException ex) {
			String suggestion = "";
			if (id.length() <= MAX_ZONE_LENGTH) {
				suggestion = Suggestion.question(id, ZoneId.getAvailableZoneIds());
			}
			throw new InvalidRateLimitException("zone", id, "is not a known time zone",
					suggestion + "Write the id of a time zone, such as Europe/Berlin, or UTC.");
		}
	}

	/**
	 * The same windows, beginning on another day.
	 * @param day the day of the week, from 1 (Monday) to 7, or of the month, from 1 to
	 * 31; a month that has no such day has a window that begins with its last day
	 * @return the windows
	 * @throws InvalidRateLimitException if the windows are neither weeks nor months, or
	 * have no such day
	 */
	public CalendarWindow from(int day) {
		return new CalendarWindow(this.period, this.zone, String.valueOf(day));
	}

	/**
	 * The same windows, beginning on another day of the year.
	 * @param day the day; in years that do not have it, the one before
	 * @return the windows
	 * @throws InvalidRateLimitException if the windows are not years
	 */
	public CalendarWindow from(MonthDay day) {
		return new CalendarWindow(this.period, this.zone, day.toString().substring(2));
	}

	/**
	 * The period's name.
	 * @return {@code day}, {@code week}, {@code month} or {@code year}
	 */
	public String unit() {
		return Unit.of(this.period).name().toLowerCase(Locale.ROOT);
	}

	/**
	 * The beginning of the window that a moment lies in.
	 * @param moment the moment
	 * @return the window's first instant
	 */
	public Instant start(Instant moment) {
		return startOf(firstDay(moment));
	}

	/**
	 * The end of the window that a moment lies in.
	 * @param moment the moment
	 * @return the next window's first instant
	 */
	public Instant end(Instant moment) {
		return startOf(next(firstDay(moment)));
	}

	/*
	 * The first day of the window that a moment lies in. The search goes back from a
	 * later window: where clocks were set back over midnight, a date comes twice, and the
	 * window of the moment's date may not be the moment's.
	 */
	private LocalDate firstDay(Instant moment) {
		LocalDate day = next(LocalDate.ofInstant(moment, this.zone));
		while (startOf(day).isAfter(moment)) {
			day = firstOf(day.minus(this.period));
		}
		return day;
	}

	private Instant startOf(LocalDate firstDay) {
		return firstDay.atStartOfDay(this.zone).toInstant();
	}

	private LocalDate next(LocalDate date) {
		return firstOf(date.plus(this.period));
	}

	/*
	 * The first day of the window that begins in a date's month or year, or of the week
	 * or the day that a date lies in.
	 */
	private LocalDate firstOf(LocalDate date) {
		Unit unit = Unit.of(this.period);
		MonthDay first = unit.day(this.from);
		return switch (unit) {
			case DAY -> date;
			case WEEK -> date.with(TemporalAdjusters.previousOrSame(DayOfWeek.of(first.getDayOfMonth())));
			case MONTH -> date.withDayOfMonth(Math.min(first.getDayOfMonth(), date.lengthOfMonth()));
			case YEAR -> first.atYear(date.getYear());
		};
	}

	/**
	 * The longest that a window may be by the calendar, in days of 24 hours. Where clocks
	 * are set back within a window, it lasts longer by as much.
	 */
	Duration longest() {
		return Unit.of(this.period).longest;
	}

	@Override
	public String toString() {
		String text = "calendar " + unit() + " in " + this.zone;
		return (this.from != null) ? text + " from " + this.from : text;
	}

	private enum Unit {

		DAY(Period.ofDays(1), 1, 0, "Remove the setting from: a day begins at midnight in its zone."),

		WEEK(Period.ofDays(7), 7, 7, "Use the day of the week that windows begin with, from 1 (Monday) to 7 (Sunday)."),

		MONTH(Period.ofMonths(1), 31, 31,
				"Use the day of the month that windows begin with, from 1 to 31; months without it begin with their "
						+ "last."),

		YEAR(Period.ofYears(1), 366, 0,
				"Use the month and the day that windows begin with, such as 04-06 for April 6.");

		private final Period period;

		private final Duration longest;

		/*
		 * The last number of a day that windows may begin with: 0 for a day, which has no
		 * such number. It is not read for a year, which is given a month and a day.
		 */
		private final int lastDay;

		/* What to do about a day that windows cannot begin with. */
		private final String action;

		Unit(Period period, int longestDays, int lastDay, String action) {
			this.period = period;
			this.longest = Duration.ofDays(longestDays);
			this.lastDay = lastDay;
			this.action = action;
		}

		static Unit of(Period period) {
			return Arrays.stream(values())
				.filter((unit) -> unit.period.equals(period))
				.findFirst()
				.orElseThrow(() -> noWindow(period));
		}

		String text(MonthDay day) {
			if (this == YEAR) {
				return day.toString().substring("--".length());
			}
			return String.valueOf(day.getDayOfMonth());
		}

		/**
		 * Reads the day that windows begin with.
		 * @param text a number or, of a year, month and day; or {@code null} for the
		 * first
		 */
		MonthDay day(@Nullable String text) {
			if (text == null) {
				return FIRST;
			}

			try {
				if (this == YEAR) {
					return MonthDay.parse("--" + text.strip());
				}
				int day = Integer.parseInt(text.strip());
				if (day >= 1 && day <= this.lastDay) {
					return MonthDay.of(FIRST.getMonth(), day);
				}
			}
			catch (DateTimeException | NumberFormatException ex) {
				// it is refused as a day that there is not
			}

			throw new InvalidRateLimitException("from", text,
					"is no day that a window of P1" + name().charAt(0) + " can begin with", this.action);
		}

	}

}
