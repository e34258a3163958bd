package io.github.ratelimit.remote;

import java.time.Duration;

import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How long a request may wait for the store, whatever it asks and calls.
 */
class WaitBudgetTests {

	private static final Duration TIMEOUT = Duration.ofMillis(100);

	private final ManualClock clock = ManualClock.atMidnight();

	private final WaitBudget request = new WaitBudget(TIMEOUT, this.clock);

	@Test
	void whatARequestHasWaitedForIsGone() {
		use(this.request, 30, false);
		use(this.request, 50, true);
		assertThat(this.request.left()).isEqualTo(Duration.ofMillis(20));
		use(this.request, 21, false);
		assertThat(this.request.left()).isZero();
	}

	@Test
	void callsThatAreAnsweredMayBeAnyNumber() {
		for (int i = 0; i < 100; i++) {
			WaitBudget call = this.request.call();
			use(call, 90, false);
			assertThat(call.left()).isEqualTo(Duration.ofMillis(10));
		}
		assertThat(this.request.left()).isEqualTo(TIMEOUT);
	}

	@Test
	void whatIsWaitedForInVainIsGoneForTheRequestAndAllItsCalls() {
		WaitBudget call = this.request.call();
		use(call, 60, true);
		assertThat(call.left()).isEqualTo(Duration.ofMillis(40));
		assertThat(this.request.left()).isEqualTo(Duration.ofMillis(40));
		assertThat(this.request.call().call().left()).isEqualTo(Duration.ofMillis(40));
	}

	@Test
	void whatTheRequestWasAnsweredDoesNotShortenItsCalls() {
		use(this.request, 90, false);
		assertThat(this.request.call().left()).isEqualTo(TIMEOUT);
	}

	@Test
	void aRequestThatGoesOnForLongIsNotKeptFromTheStoreByWhatItOnceWaitedForInVain() {
		use(this.request, 30, false);
		use(this.request.call(), 50, true);
		this.clock.advance(TIMEOUT.multipliedBy(6));
		use(this.request.call(), 50, true);
		this.clock.advance(TIMEOUT.multipliedBy(10));
		assertThat(this.request.call().left()).isZero();
		assertThat(this.request.left()).isZero();
		this.clock.advanceNanos(1);
		assertThat(this.request.call().left()).isEqualTo(TIMEOUT);
		assertThat(this.request.left()).isEqualTo(Duration.ofMillis(70));
		use(this.request.call(), 60, true);
		assertThat(this.request.call().left()).isEqualTo(Duration.ofMillis(40));
	}

	private static void use(WaitBudget time, long millis, boolean inVain) {
		time.use(Duration.ofMillis(millis).toNanos(), inVain);
	}

}
