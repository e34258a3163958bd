package io.github.ratelimit;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.MonthDay;
import java.time.Period;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The periods of a calendar that a window can last, and what is written of them.
 */
enum CalendarUnit {

	DAY(Period.ofDays(1), 1, 0, "Remove from: a day begins at midnight in its zone."),

	WEEK(Period.ofDays(7), 7, 7, "Use the day of the week that windows begin with, from 1 (Monday) to 7 (Sunday)."),

	MONTH(Period.ofMonths(1), 31, 31,
			"Use the day of the month that windows begin with, from 1 to 31; months without it begin with their last."),

	YEAR(Period.ofYears(1), 366, 0, "Use the month and the day that windows begin with, such as 04-06 for April 6.");

	/**
	 * What windows of all units begin with, unless another day is given.
	 */
	static final MonthDay FIRST = MonthDay.of(1, 1);

	/* What is neither a duration nor a period of 24 hours. */
	private static final Pattern NEEDS_ZONE = Pattern.compile("P\\d+[WMY]", Pattern.CASE_INSENSITIVE);

	/* What is longer resembles no id, and would take long to compare with all of them. */
	private static final int LONGEST_ZONE = 64;

	private static final String PERIODS = "P1D, P1W, P1M or P1Y";

	final Period period;

	final Duration longest;

	/* 0 of a unit that begins with no numbered day. */
	private final int lastDay;

	private final String days;

	CalendarUnit(Period period, int longestDays, int lastDay, String days) {
		this.period = period;
		this.longest = Duration.ofDays(longestDays);
		this.lastDay = lastDay;
		this.days = days;
	}

	static CalendarUnit of(Period period) {
		return Arrays.stream(values())
			.filter((unit) -> unit.period.equals(period))
			.findFirst()
			.orElseThrow(() -> new InvalidRateLimitException("window", period, "is no window of a calendar",
					"Use a period of one day, week, month or year."));
	}

	static CalendarUnit of(String window) {
		return Arrays.stream(values())
			.filter((unit) -> unit.text().equalsIgnoreCase(window.strip()))
			.findFirst()
			.orElseThrow(() -> new InvalidRateLimitException("window", window,
					"is no window of a calendar, but the limit has a zone",
					"Write " + PERIODS + " for a day, week, month or year of the zone; or remove zone."));
	}

	/**
	 * Checks a window without a zone.
	 */
	static void checkNeedsNoZone(String window, @Nullable String from) {
		if (NEEDS_ZONE.matcher(window.strip()).matches()) {
			throw new InvalidRateLimitException("window", window, "is a window of a calendar and has no zone",
					"Add zone, such as Europe/Berlin or UTC, to count " + PERIODS
							+ " of its calendar with the algorithm fixed-window-counter; "
							+ "or write a duration from 1ms to 31d, such as 30d.");
		}
		if (from != null) {
			throw new InvalidRateLimitException("from", from, "is the first day of a window that has no zone",
					"Add zone, such as Europe/Berlin or UTC, and a window of P1W, P1M or P1Y; or remove from.");
		}
	}

	static ZoneId zone(String id) {
		try {
			return ZoneId.of(id.strip());
		}
		catch (DateTimeException ex) {
			throw new InvalidRateLimitException("zone", id, "is not a known time zone",
					((id.length() <= LONGEST_ZONE) ? Suggestion.question(id, ZoneId.getAvailableZoneIds()) : "")
							+ "Write the id of a time zone, such as Europe/Berlin, or UTC.");
		}
	}

	private String text() {
		return "P1" + name().charAt(0);
	}

	/**
	 * Reads the day that windows begin with.
	 * @param text a number or, of a year, month and day; or {@code null} for the first
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
			// as a day that there is not
		}
		throw new InvalidRateLimitException("from", text, "is no day that a window of " + text() + " can begin with",
				this.days);
	}

	/**
	 * Writes the day that windows begin with.
	 * @return what is read as the day, or {@code null} for the first
	 */
	@Nullable String text(MonthDay day) {
		return day.equals(FIRST) ? null
				: (this == YEAR) ? day.toString().substring(2) : String.valueOf(day.getDayOfMonth());
	}

}
