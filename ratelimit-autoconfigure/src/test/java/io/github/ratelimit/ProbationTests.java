package io.github.ratelimit;

import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What requests that may be probes of the platform show of those of clients: nothing.
 */
class ProbationTests {

	private final Probation probation = new Probation();

	@Test
	void hundredthTellingFailureFailsItAndNoOther() {
		assertThat(failures(99, true)).isZero();
		assertThat(failures(5000, false)).isZero();
		assertThat(this.probation.isOver()).isFalse();
		assertThat(this.probation.isFailedBy(false, true)).isTrue();
		assertThat(this.probation.isOver()).isTrue();
		assertThat(failures(200, true)).isZero();
	}

	@Test
	void oneThatWorkedEndsItEvenIfItMayBeAProbe() {
		assertThat(failures(99, true)).isZero();
		assertThat(this.probation.isFailedBy(true, false)).isFalse();
		assertThat(this.probation.isOver()).isTrue();
		assertThat(failures(200, true)).isZero();
	}

	@Test
	void requestsThatTellNothingAreNotLookedAtForEver() {
		assertThat(failures(9999, false)).isZero();
		assertThat(this.probation.isOver()).isFalse();
		assertThat(failures(1, false)).isZero();
		assertThat(this.probation.isOver()).isTrue();
		assertThat(failures(200, true)).isZero();
	}

	@ParameterizedTest
	@ValueSource(strings = { "Cookie", "Content-Type", "Authorization", "X-Forwarded-For", "X-Real-IP", "Via" })
	void fieldOfAClientTells(String field) {
		assertThat(Probation.isOfClient(Set.of("Host", field)::contains)).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "User-Agent", "Accept", "Accept-Encoding", "X-Forwarded-Proto" })
	void fieldOfAProbeDoesNot(String field) {
		assertThat(Probation.isOfClient(Set.of("Host", field)::contains)).isFalse();
	}

	private int failures(int requests, boolean telling) {
		int failures = 0;
		for (int i = 0; i < requests; i++) {
			failures += this.probation.isFailedBy(false, telling) ? 1 : 0;
		}
		return failures;
	}

}
