package io.github.ratelimit.annotation;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import io.github.ratelimit.CalendarWindow;
import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

/**
 * The numbers of one annotation.
 */
class AnnotatedLimitTests {

	private final MockEnvironment environment = new MockEnvironment().withProperty("search.window", "90s");

	@ParameterizedTest
	@CsvSource({ "500ms, PT0.5S", "10s, PT10S", "1m, PT1M", "1h, PT1H", "1d, PT24H", "PT1H, PT1H", "P1D, PT24H",
			"' 1m ', PT1M", "${search.window}, PT1M30S", "${no.such:2m}, PT2M", "${no.such:${search.window}}, PT1M30S",
			"2${unit:h}, PT2H" })
	void windowIsADurationOrAPlaceholderOfOne(String window, Duration expected) {
		assertThat(read(Map.of("limit", 5L, "window", window)).window()).isEqualTo(expected);
	}

	@ParameterizedTest
	@ValueSource(strings = { "minute", "1", "1.5m", "-1x", "1 m 2", "m" })
	void windowThatCannotBeReadIsNamed(String window) {
		assertMistake(Map.of("limit", 5L, "window", window),
				"has a window that is not a number with a unit: '" + window + "'",
				"Write a number and a unit, such as 500ms, 10s, 1m, 1h or 1d.");
	}

	@Test
	void windowThatIsUnreadableBehindItsPlaceholderIsNamedWithBoth() {
		this.environment.setProperty("search.window", "soon");
		assertMistake(Map.of("limit", 5L, "window", "${search.window}"),
				"has a window that is not a number with a unit: '${search.window}', which is 'soon'",
				"Write a number and a unit");
	}

	@ParameterizedTest
	@ValueSource(strings = { "0s", "-1m", "0ms", "32d" })
	void windowOutOfRangeIsNamed(String window) {
		assertMistake(Map.of("limit", 5L, "window", window), "is out of range", "from 1ms to 31d");
	}

	@Test
	void windowOfACalendarIsRead() {
		this.environment.setProperty("quota.day", "15");
		RateLimit limit = read(Map.of("algorithm", RateLimitAlgorithm.FIXED_WINDOW_COUNTER, "limit", 9L, "window",
				"P1M", "zone", " Europe/Berlin", "from", "${quota.day}"));
		assertThat(limit.calendar()).isEqualTo(CalendarWindow.parse("P1M", "Europe/Berlin", "15"));
		assertThat(read(Map.of("limit", 9L, "window", "P1D", "zone", "${no.such:}")).window())
			.isEqualTo(Duration.ofDays(1));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					P1M |            |    | is not possible: window = P1M is a window of a calendar and has no zone | Add zone
					1d  |            | 15 | is not possible: from = 15 is the first day of a window that has no zone | Add zone
					P1M | Asia/Tokio |    | is not possible: zone = Asia/Tokio is not a known time zone | 'Asia/Tokyo'
					P1M | UTC        | 0  | is not possible: from = 0 is no day that a window of P1M can begin with | from 1 to 31
					P1M | UTC        | 1  | is not possible: zone = UTC is not used by the algorithm TOKEN_BUCKET \
					| FIXED_WINDOW_COUNTER
					P1M | ${zone}    |    | has a zone with a placeholder that nothing resolves: '${zone}' | give a default
					""")
	void mistakeInAWindowOfACalendarIsNamed(String window, String zone, String from, String mistake, String action) {
		assertMistake(Map.of("limit", 5L, "window", window, "zone", (zone != null) ? zone : "", "from",
				(from != null) ? from : ""), mistake, action);
	}

	@ParameterizedTest
	@CsvSource({ "TOKEN_BUCKET, burst", "LEAKY_BUCKET, burst" })
	void algorithmTakesTheNumbersThatItUses(RateLimitAlgorithm algorithm, String number) {
		RateLimit limit = read(Map.of("algorithm", algorithm, "limit", 9L, "window", "1m", number, 3L));
		assertThat(limit.algorithm()).isEqualTo(algorithm);
		assertThat(limit.burst()).isEqualTo(3);
	}

	@Test
	void leakyBucketTakesADelayBesideItsBurst() {
		RateLimit limit = read(Map.of("algorithm", RateLimitAlgorithm.LEAKY_BUCKET, "limit", 9L, "window", "1m",
				"burst", 4L, "delay", 3L));
		assertThat(limit.delay()).isEqualTo(3);
	}

	@ParameterizedTest
	@CsvSource({ "TOKEN_BUCKET, delay", "FIXED_WINDOW_COUNTER, burst", "FIXED_WINDOW_COUNTER, delay",
			"SLIDING_WINDOW_LOG, burst", "SLIDING_WINDOW_LOG, delay", "SLIDING_WINDOW_COUNTER, burst",
			"SLIDING_WINDOW_COUNTER, delay" })
	void numberThatTheAlgorithmDoesNotUseIsAMistake(RateLimitAlgorithm algorithm, String number) {
		assertMistake(Map.of("algorithm", algorithm, "limit", 9L, "window", "1m", number, 3L),
				number + " = 3 is not used by the algorithm " + algorithm.name(), "Remove " + number);
	}

	@ParameterizedTest
	@CsvSource({ "TOKEN_BUCKET, nodelay", "TOKEN_BUCKET, countRejected", "LEAKY_BUCKET, countRejected",
			"FIXED_WINDOW_COUNTER, nodelay", "FIXED_WINDOW_COUNTER, countRejected", "SLIDING_WINDOW_LOG, nodelay",
			"SLIDING_WINDOW_COUNTER, nodelay", "SLIDING_WINDOW_COUNTER, countRejected" })
	void switchThatTheAlgorithmDoesNotUseIsAMistake(RateLimitAlgorithm algorithm, String name) {
		assertMistake(Map.of("algorithm", algorithm, "limit", 9L, "window", "1m", name, true),
				name + " = true is not used by the algorithm " + algorithm.name(), "Remove " + name);
	}

	@ParameterizedTest
	@CsvSource({ "7, 7", "' 7 ', 7", "${search.limit}, 40", "${no.such:12}, 12", "1${no.such:0}, 10",
			"${no.such:${search.limit}}, 40" })
	void numberMayBeAPlaceholder(String text, long expected) {
		this.environment.setProperty("search.limit", "40");
		RateLimit limit = read(Map.of("algorithm", RateLimitAlgorithm.LEAKY_BUCKET, "limitString", text, "window", "1m",
				"burstString", text, "delayString", text));
		assertThat(limit.limit()).isEqualTo(expected);
		assertThat(limit.burst()).isEqualTo(expected);
		assertThat(limit.delay()).isEqualTo(expected);
	}

	@ParameterizedTest
	@ValueSource(strings = { "limit", "burst", "delay" })
	void numberIsWrittenOnlyOnce(String name) {
		assertMistake(leakyBucket(name + "String", "9"), "has both " + name + " and " + name + "String",
				"Remove " + name + ", or " + name + "String.");
	}

	@ParameterizedTest
	@ValueSource(strings = { "limit", "burst", "delay" })
	void placeholderOfANumberThatNothingResolvesIsNamed(String name) {
		Map<String, Object> attributes = leakyBucket(name + "String", "${no.such}");
		attributes.remove(name);
		assertMistake(attributes, "has a " + name + "String with a placeholder that nothing resolves: '${no.such}'",
				"such as ${search." + name + ":100}.");
	}

	@ParameterizedTest
	@ValueSource(strings = { "many", "1.5", "5s", "99999999999999999999", " ", "1_000", "${search.window}" })
	void textThatIsNoNumberIsNamed(String text) {
		assertMistake(Map.of("limitString", text, "window", "1m"),
				"has a limitString that is not a whole number, or too large: '" + text + "'",
				"Write the number in digits only, such as 100.");
	}

	@Test
	void textThatIsNoNumberBehindItsPlaceholderIsNamedWithBoth() {
		assertMistake(Map.of("limitString", "${search.window}", "window", "1m"), "'${search.window}', which is '90s'",
				"Write the number");
	}

	@ParameterizedTest
	@ValueSource(strings = { "0", "-1" })
	void textOfANumberIsInRangeToo(String text) {
		assertMistake(Map.of("limitString", text, "window", "1m"), "limit = " + text + " is out of range", "from 1");
	}

	private static Map<String, Object> leakyBucket(String name, Object value) {
		Map<String, Object> attributes = new HashMap<>(Map.of("algorithm", RateLimitAlgorithm.LEAKY_BUCKET, "limit", 9L,
				"window", "1m", "burst", 4L, "delay", 3L));
		attributes.put(name, value);
		return attributes;
	}

	private RateLimit read(Map<String, Object> attributes) {
		RateLimited annotation = AnnotationUtils.synthesizeAnnotation(new HashMap<>(attributes), RateLimited.class,
				null);
		return new AnnotatedLimit(annotation, AnnotatedPlace.of(AnnotatedLimitTests.class),
				this.environment::resolveRequiredPlaceholders)
			.read();
	}

	private void assertMistake(Map<String, Object> attributes, String reason, String action) {
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> read(attributes))
			.withMessageStartingWith("@RateLimited on AnnotatedLimitTests ")
			.withMessageContaining(reason)
			.asInstanceOf(type(InvalidRateLimitException.class))
			.extracting(InvalidRateLimitException::action)
			.asString()
			.contains(action);
	}

}
