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
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * The days, weeks, months or years of a time zone's calendar as the windows of a fixed
 * window counter. A window runs from its first instant to that of the next one, whatever
 * its length: a day may have 23 or 25 hours.
 *
 * @since 0.1.0
 * @see RateLimit.Builder#window(CalendarWindow)
 */
public final class CalendarWindow {

	private final CalendarUnit unit;

	private final ZoneId zone;

	/* The day that a window begins with. Its month matters to years only. */
	private final MonthDay from;

	private CalendarWindow(CalendarUnit unit, ZoneId zone, MonthDay from) {
		this.unit = unit;
		this.zone = zone;
		this.from = from;
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
		return new CalendarWindow(CalendarUnit.of(period), zone, CalendarUnit.FIRST);
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
		CalendarUnit unit = CalendarUnit.of(window);
		CalendarWindow windows = new CalendarWindow(unit, CalendarUnit.zone(zone), CalendarUnit.FIRST);
		return (from != null) ? windows.from(unit.day(from), from) : windows;
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
		return from(this.unit.day(String.valueOf(day)), day);
	}

	/**
	 * The same windows, beginning on another day of the year.
	 * @param day the day; in years that do not have it, the one before
	 * @return the windows
	 * @throws InvalidRateLimitException if the windows are not years
	 */
	public CalendarWindow from(MonthDay day) {
		return from((this.unit == CalendarUnit.YEAR) ? day : null, day.toString().substring(2));
	}

	private CalendarWindow from(@Nullable MonthDay day, Object written) {
		if (day == null) {
			throw this.unit.invalidDay(written);
		}
		return new CalendarWindow(this.unit, this.zone, day);
	}

	/**
	 * The period that each window lasts.
	 * @return a day, a week, a month or a year
	 */
	public Period period() {
		return this.unit.period;
	}

	/**
	 * The period's name.
	 * @return {@code day}, {@code week}, {@code month} or {@code year}
	 */
	public String unit() {
		return this.unit.name().toLowerCase(Locale.ROOT);
	}

	/**
	 * The time zone whose calendar counts.
	 * @return the zone
	 */
	public ZoneId zone() {
		return this.zone;
	}

	/**
	 * The day that windows begin with.
	 * @return a number of a week or month, month and day of a year, such as
	 * {@code 04-06}; or {@code null} for the first
	 */
	public @Nullable String from() {
		if (this.from.equals(CalendarUnit.FIRST)) {
			return null;
		}
		return (this.unit == CalendarUnit.YEAR) ? this.from.toString().substring(2)
				: String.valueOf(this.from.getDayOfMonth());
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
	 * date comes twice, and where a zone crossed the date line, one is left out.
	 */
	private LocalDate first(Instant moment) {
		LocalDate first = firstUntil(LocalDate.ofInstant(moment, this.zone));
		while (startOf(first).isAfter(moment)) {
			first = firstUntil(first.minusDays(1));
		}
		while (!startOf(next(first)).isAfter(moment)) {
			first = next(first);
		}
		return first;
	}

	private Instant startOf(LocalDate first) {
		return first.atStartOfDay(this.zone).toInstant();
	}

	private LocalDate firstUntil(LocalDate date) {
		return switch (this.unit) {
			case DAY -> date;
			case WEEK -> date.with(TemporalAdjusters.previousOrSame(DayOfWeek.of(this.from.getDayOfMonth())));
			case MONTH -> ofMonth(date).isAfter(date) ? ofMonth(date.minusMonths(1)) : ofMonth(date);
			case YEAR -> {
				LocalDate first = this.from.atYear(date.getYear());
				yield first.isAfter(date) ? this.from.atYear(date.getYear() - 1) : first;
			}
		};
	}

	private LocalDate next(LocalDate first) {
		return switch (this.unit) {
			case DAY -> first.plusDays(1);
			case WEEK -> first.plusWeeks(1);
			case MONTH -> ofMonth(first.plusMonths(1));
			case YEAR -> this.from.atYear(first.getYear() + 1);
		};
	}

	private LocalDate ofMonth(LocalDate date) {
		return date.withDayOfMonth(Math.min(this.from.getDayOfMonth(), date.lengthOfMonth()));
	}

	/**
	 * The longest that a window is by the calendar, for what needs one number.
	 */
	Duration longest() {
		return this.unit.longest;
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return this == other || other instanceof CalendarWindow that && this.unit == that.unit
				&& this.zone.equals(that.zone) && this.from.equals(that.from);
	}

	@Override
	public int hashCode() {
		return Objects.hash(this.unit, this.zone, this.from);
	}

	@Override
	public String toString() {
		String from = from();
		return "calendar " + unit() + " in " + this.zone + ((from != null) ? " from " + from : "");
	}

}
