package io.github.ratelimit.findings;

import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What requests that may be probes of the platform show of those of clients: nothing.
 */
class FirstRequestsCheckTests {

	private final FirstRequestsCheck check = new FirstRequestsCheck();

	@Test
	void hundredthConclusiveFailureFailsItAndNoOther() {
		assertThat(failures(99, true)).isZero();
		assertThat(failures(5000, false)).isZero();
		assertThat(this.check.isOver()).isFalse();
		assertThat(this.check.record(false, true)).isTrue();
		assertThat(this.check.isOver()).isTrue();
		assertThat(failures(200, true)).isZero();
	}

	@Test
	void oneThatWorkedEndsItEvenIfItMayBeAProbe() {
		assertThat(failures(99, true)).isZero();
		assertThat(this.check.record(true, false)).isFalse();
		assertThat(this.check.isOver()).isTrue();
		assertThat(failures(200, true)).isZero();
	}

	@Test
	void requestsThatTellNothingAreNotLookedAtForEver() {
		assertThat(failures(9999, false)).isZero();
		assertThat(this.check.isOver()).isFalse();
		assertThat(failures(1, false)).isZero();
		assertThat(this.check.isOver()).isTrue();
		assertThat(failures(200, true)).isZero();
	}

	@ParameterizedTest
	@CsvSource({ "Cookie, true", "Content-Type, true", "X-Forwarded-For, true", "Via, true", "User-Agent, false",
			"Accept-Encoding, false", "X-Forwarded-Proto, false" })
	void fieldOfAClientTellsAndOfAProbeDoesNot(String field, boolean conclusive) {
		assertThat(FirstRequestsCheck.isOfClient(Set.of("Host", field)::contains)).isEqualTo(conclusive);
	}

	private int failures(int requests, boolean conclusive) {
		int failures = 0;
		for (int i = 0; i < requests; i++) {
			failures += this.check.record(false, conclusive) ? 1 : 0;
		}
		return failures;
	}

}
