package io.github.ratelimit.remote;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Real time, as long as it must be.
 */
class DeadlineTests {

	@Test
	void whatIsNotLeftHasPassed() {
		Duration hour = Duration.ofHours(1);
		Deadline deadline = Deadline.after(hour);
		assertThat(deadline.timeout()).isEqualTo(hour);
		long passed = 0;
		while (passed == 0) {
			passed = deadline.passedNanos();
		}
		assertThat(passed).isBetween(1L, hour.toNanos());
		assertThat(deadline.remainingNanos()).isBetween(0L, hour.toNanos() - passed);
	}

	@Test
	void noMoreThanAllPasses() {
		Deadline deadline = Deadline.after(Duration.ofNanos(1000));
		while (deadline.remainingNanos() > 0) {
			Thread.onSpinWait();
		}
		assertThat(deadline.passedNanos()).isEqualTo(1000);
	}

}
