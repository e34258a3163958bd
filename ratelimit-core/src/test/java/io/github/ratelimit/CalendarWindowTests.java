package io.github.ratelimit;

import java.time.Duration;
import java.time.Instant;
import java.time.MonthDay;
import java.time.Period;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;

import io.github.ratelimit.test.model.RandomCases;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * {@link CalendarWindow}.
 */
class CalendarWindowTests {

	private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			P2M | UTC           |       | window | is no window of a calendar, but the limit has a zone | Write P1D
			1d  | UTC           |       | window | is no window of a calendar, but the limit has a zone | Write P1D
			P1M |               |       | window | is a window of a calendar and has no zone            | Add zone
			p1y |               |       | window | is a window of a calendar and has no zone            | Add zone
			P2W |               |       | window | is a window of a calendar and has no zone            | Add zone
			1d  |               | 15    | from   | is the first day of a window that has no zone        | Add zone
			P1M | Europe/Berln  |       | zone   | is not a known time zone | Did you mean 'Europe/Berlin'?
			P1M | europe/berlin |       | zone   | is not a known time zone | Did you mean 'Europe/Berlin'?
			P1M | nowhere       |       | zone   | is not a known time zone | Write the id of a time zone
			P1D | UTC           | 6     | from   | P1D can begin with       | Remove the setting from
			P1W | UTC           | 0     | from   | P1W can begin with       | from 1 (Monday) to 7
			P1W | UTC           | 8     | from   | P1W can begin with       | from 1 (Monday) to 7
			P1W | UTC           | Monday | from  | P1W can begin with       | from 1 (Monday) to 7
			P1M | UTC           | 0     | from   | P1M can begin with       | from 1 to 31
			P1M | UTC           | 32    | from   | P1M can begin with       | from 1 to 31
			P1M | UTC           | 04-06 | from   | P1M can begin with       | from 1 to 31
			P1Y | UTC           | 4     | from   | P1Y can begin with       | such as 04-06
			P1Y | UTC           | 02-30 | from   | P1Y can begin with       | such as 04-06
			""")
	void aMistakeIsNamedWithWhatToWrite(String window, String zone, String from, String attribute, String reason,
			String action) {
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> CalendarWindow.parse(window, zone, from))
			.satisfies((mistake) -> {
				assertThat(mistake.attribute()).isEqualTo(attribute);
				assertThat(mistake.reason()).contains(reason);
				assertThat(mistake.action()).contains(action);
			});
	}

	@ParameterizedTest
	@CsvSource({ "10s", "1d", "P1D", "PT1H", "P2D", "nonsense" })
	void whatHasNoZoneIsADurationOrNothing(String window) {
		assertThat(CalendarWindow.parse(window, null, null)).isNull();
	}

	@Test
	void whatIsReadIsWhatCodeSays() {
		assertThat(CalendarWindow.parse(" p1m ", " Europe/Berlin ", " 15 "))
			.isEqualTo(CalendarWindow.of(Period.ofMonths(1), BERLIN).from(15));
		assertThat(CalendarWindow.parse("P1Y", "Z", "04-06"))
			.isEqualTo(CalendarWindow.of(Period.ofYears(1), ZoneOffset.UTC).from(MonthDay.of(4, 6)));
		assertThat(CalendarWindow.parse("P1M", "UTC", "1"))
			.isEqualTo(CalendarWindow.of(Period.ofMonths(1), ZoneId.of("UTC")));
	}

	@Test
	void theLimitNamesItsCalendar() {
		RateLimit limit = CalendarModel.limit(10_000, "P1M", "Europe/Berlin", "15");
		assertThat(limit).hasToString("fixed-window-counter 10000 per calendar month in Europe/Berlin from 15");
		assertThat(RateLimit.builder(RateLimitAlgorithm.FIXED_WINDOW_COUNTER)
			.limit(1)
			.window(limit.calendar())
			.window(Duration.ofDays(1))
			.build()).isEqualTo(RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 1, Duration.ofDays(1)));
	}

	@Test
	void onlyOneDayWeekMonthOrYearIsAWindow() {
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> CalendarWindow.of(Period.ofMonths(2), BERLIN))
			.withMessage("window = P2M is no window of a calendar, but the limit has a zone");
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> CalendarWindow.of(Period.ofMonths(1), BERLIN).from(MonthDay.of(4, 6)))
			.withMessage("from = 04-06 is no day that a window of P1M can begin with");
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> CalendarWindow.of(Period.ofYears(1), BERLIN).from(6))
			.withMessage("from = 6 is no day that a window of P1Y can begin with");
	}

	@Test
	void onlyTheFixedWindowCounterHasACalendar() {
		CalendarWindow month = CalendarWindow.of(Period.ofMonths(1), BERLIN);
		for (RateLimitAlgorithm algorithm : RateLimitAlgorithm.values()) {
			if (algorithm != RateLimitAlgorithm.FIXED_WINDOW_COUNTER) {
				assertThatExceptionOfType(InvalidRateLimitException.class)
					.isThrownBy(() -> RateLimit.builder(algorithm).limit(1).window(month).build())
					.withMessage("zone = Europe/Berlin is not used by the algorithm " + algorithm.id());
			}
		}
	}

	@Test
	void windowsAreThoseOfTheModel() {
		RandomCases.check(20_000, (random) -> {
			CalendarModel model = CalendarModel.random(random);
			Instant moment = model.moment(random);
			assertThat(model.windows().start(moment)).as("%s in %s", moment, model).isEqualTo(model.start(moment));
			assertThat(model.windows().end(moment)).as("%s in %s", moment, model).isEqualTo(model.end(moment));
		});
	}

	/* What a store relies on that counts the hours in which days begin. */
	@Test
	void aroundEveryChangeOfOffsetDaysLastAnHourAtLeastAndFollowOneAnother() {
		for (String id : ZoneId.getAvailableZoneIds()) {
			ZoneId zone = ZoneId.of(id);
			CalendarWindow days = CalendarWindow.of(Period.ofDays(1), zone);
			Instant moment = Instant.EPOCH;
			ZoneOffsetTransition transition = zone.getRules().nextTransition(moment);
			while (transition != null && moment.isBefore(Instant.parse("2030-01-01T00:00:00Z"))) {
				moment = transition.getInstant();
				Instant start = days.start(moment.minus(Duration.ofDays(2)));
				for (int i = 0; i < 5; i++) {
					Instant end = days.end(start);
					assertThat(Duration.between(start, end)).as("%s in %s", start, id)
						.isBetween(Duration.ofHours(1), Duration.ofHours(49));
					assertThat(days.start(end)).as("%s in %s", start, id).isEqualTo(end);
					assertThat(days.start(end.minusNanos(1))).as("%s in %s", start, id).isEqualTo(start);
					start = end;
				}
				transition = zone.getRules().nextTransition(moment);
			}
		}
	}

}
