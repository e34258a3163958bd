package io.github.ratelimit.remote;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

import io.github.ratelimit.LogBudget;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What an operator reads of an outage, and how often.
 */
@ExtendWith(OutputCaptureExtension.class)
class OutageLogTests {

	private final ManualClock clock = ManualClock.atMidnight();

	private final OutageLog log = new OutageLog("Redis at 10.0.0.1:6379", this.clock);

	private static List<String> lines(CapturedOutput output) {
		return output.getAll().lines().filter((line) -> line.contains("Redis at 10.0.0.1:6379")).toList();
	}

	private void outage() {
		this.log.failed();
		this.log.cannotDecide("no answer within 100 ms");
		this.log.answered();
	}

	@Test
	void anOutageIsOneLineWhenItBeginsAndOneWhenItEnds(CapturedOutput output) {
		this.log.failed();
		this.clock.advance(Duration.ofMillis(350));
		for (int i = 0; i < 11; i++) {
			this.log.cannotDecide("no answer within 100 ms");
			this.clock.advance(Duration.ofSeconds(1));
		}
		for (int i = 0; i < 3412; i++) {
			this.log.decidedWithout();
		}
		this.clock.advance(Duration.ofMillis(650));
		this.log.answered();
		assertThat(lines(output)).hasSize(2);
		assertThat(lines(output).get(0)).contains("WARN",
				"Redis at 10.0.0.1:6379 cannot decide since 2026-03-05T00:00:00Z (no answer within 100 ms)");
		assertThat(lines(output).get(1)).contains("INFO",
				"answers again after 12 s; 3,412 decisions were made without it");
	}

	@ParameterizedTest
	@CsvSource({ "999, 999 ms", "1000, 1 s", "119999, 1 min 59 s", "7200000, 2 h", "180000000, 2 d 2 h" })
	void anOutagesLengthIsToldInWholeSeconds(long millis, String length, CapturedOutput output) {
		this.log.cannotDecide("gone");
		this.clock.advance(Duration.ofMillis(millis));
		this.log.answered();
		assertThat(lines(output).get(1)).contains("answers again after " + length + ";");
	}

	@Test
	void aSingleDecisionIsSpokenOfAsOne(CapturedOutput output) {
		this.log.cannotDecide("gone");
		this.log.decidedWithout();
		this.log.answered();
		assertThat(lines(output).get(1)).contains("; 1 decision was made without it");
	}

	@Test
	void aLineIsTheSameInEveryLocale(CapturedOutput output) {
		Locale locale = Locale.getDefault();
		Locale.setDefault(Locale.GERMANY);
		try {
			this.log.cannotDecide("gone");
			for (int i = 0; i < 3412; i++) {
				this.log.decidedWithout();
			}
			this.log.answered();
		}
		finally {
			Locale.setDefault(locale);
		}
		assertThat(lines(output).get(1)).contains("; 3,412 decisions were made");
	}

	@Test
	void failuresThatAreNoOutageAreNotLogged(CapturedOutput output) {
		for (int i = 0; i < 100; i++) {
			this.log.failed();
			this.log.decidedWithout();
			this.log.answered();
		}
		assertThat(lines(output)).isEmpty();
		outage();
		assertThat(lines(output).get(1)).contains("; 0 decisions");
	}

	@Test
	void aServerThatComesAndGoesFillsNoLog(CapturedOutput output) {
		for (int i = 0; i < 1000; i++) {
			outage();
			this.clock.advance(Duration.ofMillis(59));
		}
		assertThat(lines(output)).hasSize(2 * LogBudget.MOST_A_MINUTE);
		this.clock.advance(Duration.ofSeconds(1));
		outage();
		assertThat(lines(output)).hasSize(2 * LogBudget.MOST_A_MINUTE + 2);
		assertThat(lines(output).get(2 * LogBudget.MOST_A_MINUTE))
			.endsWith("There were 997 more outages that were not logged");
	}

	@Test
	void anOutageThatBeginsUnloggedIsLoggedIfItLasts(CapturedOutput output) {
		for (int i = 0; i < LogBudget.MOST_A_MINUTE; i++) {
			outage();
		}
		this.log.cannotDecide("no answer within 100 ms");
		assertThat(lines(output)).hasSize(2 * LogBudget.MOST_A_MINUTE);
		for (int i = 0; i < 60; i++) {
			this.clock.advance(Duration.ofSeconds(1));
			this.log.cannotDecide("no answer within 100 ms");
		}
		assertThat(lines(output)).hasSize(2 * LogBudget.MOST_A_MINUTE + 1);
		assertThat(lines(output).get(2 * LogBudget.MOST_A_MINUTE)).endsWith("each policy's on-failure does");
	}

}
