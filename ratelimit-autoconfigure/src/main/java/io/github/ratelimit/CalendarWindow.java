package io.github.ratelimit;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.MonthDay;
import java.time.Period;
import java.time.ZoneId;
import java.time.temporal.TemporalAdjusters;
import java.util.Locale;

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

	/**
	 * Creates windows.
	 * @throws InvalidRateLimitException if the period is none of the four, or has no such
	 * day
	 */
	public CalendarWindow {
		CalendarUnit unit = CalendarUnit.of(period);
		from = unit.text(unit.day(from));
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
			CalendarUnit.checkNeedsNoZone(window, from);
			return null;
		}
		return new CalendarWindow(CalendarUnit.of(window).period, CalendarUnit.zone(zone), from);
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

	private CalendarUnit calendarUnit() {
		return CalendarUnit.of(this.period);
	}

	/**
	 * The period's name.
	 * @return {@code day}, {@code week}, {@code month} or {@code year}
	 */
	public String unit() {
		return calendarUnit().name().toLowerCase(Locale.ROOT);
	}

	/**
	 * The beginning of the window that a moment lies in.
	 * @param moment the moment
	 * @return the window's first instant
	 */
	public Instant start(Instant moment) {
		return startOf(first(moment));
	}

	/**
	 * The end of the window that a moment lies in.
	 * @param moment the moment
	 * @return the next window's first instant
	 */
	public Instant end(Instant moment) {
		return startOf(next(first(moment)));
	}

	/*
	 * The first day of a moment's window. Where clocks were set back over midnight, a
	 * date comes twice, so the search begins with the window after that of the date.
	 */
	private LocalDate first(Instant moment) {
		LocalDate first = next(LocalDate.ofInstant(moment, this.zone));
		while (startOf(first).isAfter(moment)) {
			first = firstOf(first.minus(this.period));
		}
		return first;
	}

	private Instant startOf(LocalDate first) {
		return first.atStartOfDay(this.zone).toInstant();
	}

	private LocalDate next(LocalDate date) {
		return firstOf(date.plus(this.period));
	}

	/*
	 * The first day of the window that begins in a date's month or year.
	 */
	private LocalDate firstOf(LocalDate date) {
		MonthDay first = calendarUnit().day(this.from);
		return switch (calendarUnit()) {
			case DAY -> date;
			case WEEK -> date.with(TemporalAdjusters.previousOrSame(DayOfWeek.of(first.getDayOfMonth())));
			case MONTH -> date.withDayOfMonth(Math.min(first.getDayOfMonth(), date.lengthOfMonth()));
			case YEAR -> first.atYear(date.getYear());
		};
	}

	/**
	 * The longest that a window is by the calendar, for what needs one number.
	 */
	Duration longest() {
		return calendarUnit().longest;
	}

	@Override
	public String toString() {
		return "calendar " + unit() + " in " + this.zone + ((this.from != null) ? " from " + this.from : "");
	}

}
