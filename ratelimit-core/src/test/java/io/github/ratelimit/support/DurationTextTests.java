package io.github.ratelimit.support;

import java.time.Duration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class DurationTextTests {

	@ParameterizedTest
	@CsvSource({ "PT3.44S, 3.44 s", "PT0S, 0 s", "PT1S, 1 s", "PT10S, 10 s", "PT59.999999999S, 59.999999999 s",
			"PT0.35S, 350 ms", "PT0.000001S, 0.001 ms", "PT0.000000001S, 0.000001 ms", "PT0.1S, 100 ms", "PT1M, 1 min",
			"PT1M30S, 1 min 30 s", "PT10M, 10 min", "PT1H, 1 h", "PT1H0.5S, 1 h 0.5 s", "PT24H, 1 d", "PT960H, 40 d",
			"PT25H1M1S, 1 d 1 h 1 min 1 s", "PT-1M, -(1 min)" })
	void durationIsWrittenAsPeopleDo(Duration duration, String text) {
		assertThat(DurationText.of(duration)).isEqualTo(text);
	}

	@ParameterizedTest
	@CsvSource({ "PT3.439000001S, 3.44 s", "PT3.44S, 3.44 s", "PT0.000000001S, 1 ms", "PT0.999999999S, 1 s",
			"PT59.9999S, 1 min", "PT0S, 0 s" })
	void timeToWaitIsRoundedUpToMilliseconds(Duration wait, String text) {
		assertThat(DurationText.ofWait(wait)).isEqualTo(text);
	}

	@ParameterizedTest
	@CsvSource({ "PT0S, 0", "PT1S, 1", "PT60S, 60", "PT1000000S, 1000000", "PT3.44S, 3.44", "PT0.000000001S, 1E-9",
			"PT3.500000001S, 3.500000001", "PT-1.5S, -1.5" })
	void secondsAreANumber(Duration duration, String number) {
		assertThat(DurationText.seconds(duration)).hasToString(number);
	}

}
