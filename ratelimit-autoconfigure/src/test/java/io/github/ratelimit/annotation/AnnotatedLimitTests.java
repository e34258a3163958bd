package io.github.ratelimit.annotation;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.CalendarWindow;
import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

/**
 * Tests the numbers of one annotation.
 */
class AnnotatedLimitTests {

	private final MockEnvironment environment = new MockEnvironment().withProperty("search.window", "90s")
		.withProperty("search.limit", "40")
		.withProperty("nested", "${SEARCH_LIMIT}")
		.withProperty("quota.day", "15");

	@ParameterizedTest
	@CsvSource({ "500ms, PT0.5S", "10s, PT10S", "1m, PT1M", "1h, PT1H", "1d, PT24H", "PT1H, PT1H", "P1D, PT24H",
			"' 1m ', PT1M", "${search.window}, PT1M30S", "${no.such:2m}, PT2M", "${no.such:${search.window}}, PT1M30S",
			"2${unit:h}, PT2H" })
	void windowIsADurationOrAPlaceholderOfOne(String window, Duration expected) {
		assertThat(read("limit=5, window=" + window).window()).isEqualTo(expected);
	}

	@Test
	void windowOfACalendarIsRead() {
		RateLimit limit = read(
				"algorithm=FIXED_WINDOW_COUNTER, limit=9, window=P1M, zone= Europe/Berlin, from=${quota.day}");
		assertThat(limit.calendar()).isEqualTo(CalendarWindow.parse("P1M", "Europe/Berlin", "15"));
		assertThat(read("limit=9, window=P1D, zone=${no.such:}").window()).isEqualTo(Duration.ofDays(1));
	}

	@ParameterizedTest
	@CsvSource({ "7, 7", "' 7 ', 7", "${search.limit}, 40", "${no.such:12}, 12", "1${no.such:0}, 10",
			"${no.such:${search.limit}}, 40" })
	void numberMayBeAPlaceholder(String text, long expected) {
		RateLimit limit = read("algorithm=LEAKY_BUCKET, window=1m, limitString=%1$s, burstString=%1$s, delayString=%1$s"
			.formatted(text));
		assertThat(List.of(limit.limit(), limit.burst(), limit.delay())).containsOnly(expected);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					limit=5, window=minute              | has a window that is not a number with a unit: 'minute' | Write a number and a unit, such as 500ms, 10s, 1m, 1h or 1d.
					limit=5, window=${no.such}          | has a window with a placeholder that nothing resolves: '${no.such}' | ${search.window:1m}
					limit=5, window=1                   | has a window that is not a number with a unit: '1'      | such as 500ms
					limit=5, window=1.5m                | has a window that is not a number with a unit: '1.5m'   | such as 500ms
					limit=5, window=-1x                 | has a window that is not a number with a unit: '-1x'    | such as 500ms
					limit=5, window=1 m 2               | has a window that is not a number with a unit: '1 m 2'  | such as 500ms
					limit=5, window=${search.limit}     | has a window that is not a number with a unit: '${search.limit}', which is '40' | such as 500ms
					limit=5, window=0s                  | is out of range | from 1ms to 31d
					limit=5, window=-1m                 | is out of range | from 1ms to 31d
					limit=5, window=32d                 | is out of range | from 1ms to 31d
					limit=5, window=P1M                 | is not possible: window = P1M is a window of a calendar and has no zone | Add zone
					limit=5, window=1d, from=15         | is not possible: from = 15 is the first day of a window that has no zone | Add zone
					limit=5, window=P1M, zone=Asia/Tokio | is not possible: zone = Asia/Tokio is not a known time zone | 'Asia/Tokyo'
					limit=5, window=P1M, zone=UTC, from=0 | is not possible: from = 0 is no day that a window of P1M can begin with | from 1 to 31
					limit=5, window=P1M, zone=UTC       | is not possible: zone = UTC is not used by the algorithm TOKEN_BUCKET | FIXED_WINDOW_COUNTER
					limit=5, window=P1M, zone=${zone}   | has a zone with a placeholder that nothing resolves: '${zone}' | give a default
					limit=5, window=1m, delay=3         | delay = 3 is not used by the algorithm TOKEN_BUCKET | Remove delay
					limit=5, window=1m, nodelay=true    | nodelay = true is not used by the algorithm TOKEN_BUCKET | Remove nodelay
					limit=5, window=1m, countRejected=true | countRejected = true is not used by the algorithm TOKEN_BUCKET | Remove countRejected
					limit=5, window=1m, limitString=9   | has both limit and limitString | Remove limit, or limitString.
					limit=5, window=1m, burst=1, burstString=9 | has both burst and burstString | Remove burst, or burstString.
					limit=5, window=1m, delay=1, delayString=9 | has both delay and delayString | Remove delay, or delayString.
					window=1m, limitString=${no.such}   | has a limitString with a placeholder that nothing resolves: '${no.such}' | such as ${search.limit:100}.
					window=1m, limitString=${nested}    | nothing resolves: '${nested}' (Could not resolve placeholder 'SEARCH_LIMIT' in value "${SEARCH_LIMIT}" | Set the property that is missing
					limit=5, window=1m, burstString=${no.such} | has a burstString with a placeholder that nothing resolves | such as ${search.burst:100}.
					window=1m, limitString=many         | has a limitString that is not a whole number, or too large: 'many' | Write the number in digits only, such as 100.
					window=1m, limitString=1.5          | has a limitString that is not a whole number, or too large: '1.5' | in digits only
					window=1m, limitString=99999999999999999999 | has a limitString that is not a whole number, or too large | in digits only
					window=1m, limitString=1_000        | has a limitString that is not a whole number, or too large | in digits only
					window=1m, limitString=${search.window} | '${search.window}', which is '90s' | in digits only
					window=1m, limitString=0            | limit = 0 is out of range  | from 1
					window=1m, limitString=-1           | limit = -1 is out of range | from 1
					""")
	void mistakeIsNamed(String written, String reason, String action) {
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> read(written))
			.withMessageStartingWith("@RateLimited on AnnotatedLimitTests ")
			.withMessageContaining(reason)
			.asInstanceOf(type(InvalidRateLimitException.class))
			.extracting(InvalidRateLimitException::action)
			.asString()
			.contains(action);
	}

	private RateLimit read(String written) {
		return new AnnotatedLimit(WrittenAnnotation.of(written), new AnnotatedLocation(AnnotatedLimitTests.class, null),
				this.environment)
			.read();
	}

}
