package io.github.ratelimit.policy;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When a plan is asked for that could not be told.
 */
class PlanAnswerTests {

	private static final long REFRESH = Duration.ofMinutes(1).toNanos();

	private final PlanAnswer answer = new PlanAnswer();

	private long now = -Duration.ofDays(1).toNanos();

	@Test
	void whatWasNeverToldIsAskedForLaterEachTimeAndAtLastAsSeldomAsOthers() {
		for (int seconds : new int[] { 1, 2, 4, 8, 16, 32, 60, 60, 60 }) {
			fail();
			assertNotAskedFor(Duration.ofSeconds(seconds));
		}
	}

	@Test
	void itIsNeverAskedForLaterThanOthersHoweverOftenItFails() {
		for (int i = 0; i < 1000; i++) {
			fail();
			this.now += REFRESH;
		}
		fail();
		assertNotAskedFor(Duration.ofNanos(REFRESH));
	}

	@Test
	void whatWasToldOnceIsAskedForWhenItIsTime() {
		assertThat(this.answer.begin(this.now, REFRESH)).isTrue();
		this.answer.know(null);
		this.now += REFRESH;
		fail();
		assertNotAskedFor(Duration.ofNanos(REFRESH));
	}

	@Test
	void whatNobodyHadTimeForIsAskedForSoonAndNotWaitedFor() {
		assertThat(this.answer.begin(this.now, REFRESH)).isTrue();
		this.answer.postpone(this.now, REFRESH);
		this.answer.await(Long.MAX_VALUE);
		assertNotAskedFor(Duration.ofSeconds(1));
		assertThat(this.answer.begin(this.now, REFRESH)).isTrue();
	}

	@Test
	void whatNobodyHadTimeForIsNotAskedForLaterThanOthers() {
		long refresh = Duration.ofMillis(10).toNanos();
		assertThat(this.answer.begin(this.now, refresh)).isTrue();
		this.answer.postpone(this.now, refresh);
		assertThat(this.answer.begin(this.now + refresh - 1, refresh)).isFalse();
		assertThat(this.answer.begin(this.now + refresh, refresh)).isTrue();
	}

	@Test
	void nobodyWaitsForTheNextQuestion() {
		fail();
		this.now += Duration.ofSeconds(1).toNanos();
		assertThat(this.answer.begin(this.now, REFRESH)).isTrue();
		this.answer.await(Long.MAX_VALUE);
		assertThat(this.answer.plan()).isNull();
		assertThat(this.answer.begin(this.now, REFRESH)).isFalse();
	}

	private void fail() {
		assertThat(this.answer.begin(this.now, REFRESH)).isTrue();
		this.answer.fail(this.now, REFRESH);
	}

	private void assertNotAskedFor(Duration time) {
		this.now += time.toNanos() - 1;
		assertThat(this.answer.isFresh(this.now, REFRESH)).isTrue();
		assertThat(this.answer.begin(this.now, REFRESH)).isFalse();
		this.now++;
		assertThat(this.answer.isFresh(this.now, REFRESH)).isFalse();
	}

}
