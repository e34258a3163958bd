package io.github.ratelimit;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.MonthDay;
import java.time.Period;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.util.List;
import java.util.Random;

import org.jspecify.annotations.Nullable;

/**
 * Windows of a calendar by definition: a window begins with the first instant of each day
 * that is the first of one, and all days are tried in turn.
 *
 * @param period a day, a week, a month or a year
 * @param zone the time zone
 * @param from the day that windows begin with, or 0
 */
public record CalendarModel(Period period, ZoneId zone, int from) {

	private static final List<Period> PERIODS = List.of(Period.ofDays(1), Period.ofDays(7), Period.ofMonths(1),
			Period.ofYears(1));

	private static final List<String> ZONES = ZoneId.getAvailableZoneIds().stream().sorted().toList();

	private static final int YEAR_BEGIN = 406;

	/**
	 * Draws windows of any period in any zone.
	 */
	public static CalendarModel random(Random random) {
		int period = random.nextInt(4);
		int from = random.nextBoolean() ? 0
				: (period == 1) ? 1 + random.nextInt(7) : (period == 2) ? 1 + random.nextInt(31) : YEAR_BEGIN;
		return new CalendarModel(PERIODS.get(period), ZoneId.of(ZONES.get(random.nextInt(ZONES.size()))),
				(period == 0) ? 0 : from);
	}

	/**
	 * Draws a moment from 1971 to 2080, often near a change of the zone's offset.
	 */
	public Instant moment(Random random) {
		Instant any = Instant.ofEpochSecond(31_536_000L + (long) (random.nextDouble() * 3_440_000_000L));
		ZoneOffsetTransition transition = this.zone.getRules().nextTransition(any);
		return (transition == null || random.nextInt(3) == 0) ? any
				: transition.getInstant().plusSeconds(random.nextInt(400_000) - 200_000);
	}

	public CalendarWindow windows() {
		CalendarWindow windows = CalendarWindow.of(this.period, this.zone);
		return (this.from == 0) ? windows
				: (this.from == YEAR_BEGIN) ? windows.from(MonthDay.of(4, 6)) : windows.from(this.from);
	}

	public Instant start(Instant moment) {
		LocalDate day = LocalDate.ofInstant(moment, this.zone).plusDays(3);
		while (!isFirst(day) || startOf(day).isAfter(moment)) {
			day = day.minusDays(1);
		}
		return startOf(day);
	}

	public Instant end(Instant moment) {
		LocalDate day = LocalDate.ofInstant(moment, this.zone).minusDays(3);
		while (!isFirst(day) || !startOf(day).isAfter(moment)) {
			day = day.plusDays(1);
		}
		return startOf(day);
	}

	private Instant startOf(LocalDate day) {
		return day.atStartOfDay(this.zone).toInstant();
	}

	private boolean isFirst(LocalDate day) {
		if (this.period.equals(Period.ofDays(1))) {
			return true;
		}
		if (this.period.equals(Period.ofDays(7))) {
			return day.getDayOfWeek() == DayOfWeek.of(Math.max(1, this.from));
		}
		if (this.period.equals(Period.ofMonths(1))) {
			int last = YearMonth.from(day).lengthOfMonth();
			return day.getDayOfMonth() == Math.min(last, Math.max(1, this.from));
		}
		MonthDay first = (this.from == 0) ? MonthDay.of(1, 1) : MonthDay.of(4, 6);
		return MonthDay.from(day).equals(first);
	}

	/**
	 * Makes a limit of these windows.
	 */
	public RateLimit limit(long permits) {
		return RateLimit.builder(RateLimitAlgorithm.FIXED_WINDOW_COUNTER).limit(permits).window(windows()).build();
	}

	/**
	 * Reads a line of a table of examples.
	 */
	public static RateLimit limit(long permits, String period, String zone, @Nullable String from) {
		return RateLimit.builder(RateLimitAlgorithm.FIXED_WINDOW_COUNTER)
			.limit(permits)
			.window(CalendarWindow.parse(period, zone, from))
			.build();
	}

}
