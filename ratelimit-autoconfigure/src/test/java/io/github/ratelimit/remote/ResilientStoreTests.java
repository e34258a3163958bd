package io.github.ratelimit.remote;

import java.time.Duration;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.store.ForeignDecision;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Any store that can fail is wrapped alike: here one that has nothing to do with Redis,
 * and that answers each question by itself.
 */
@ExtendWith(OutputCaptureExtension.class)
class ResilientStoreTests {

	private static final Duration INTERVAL = Duration.ofSeconds(1);

	private static final ResilienceSettings SETTINGS = new ResilienceSettings(Duration.ofSeconds(20), INTERVAL,
			INTERVAL, 1);

	private final ManualClock clock = ManualClock.atMidnight();

	private final LocalRateLimitStore shared = new LocalRateLimitStore(this.clock, 100);

	private final LocalRateLimitStore local = new LocalRateLimitStore(this.clock, 100);

	private final FailingStore remote = new FailingStore(this.shared);

	private final ResilientStore store = store(FailureMode.LOCAL);

	private final PolicyDecider states = this.store.open(policy("policy"));

	private ResilientStore store(FailureMode mode) {
		return new ResilientStore(this.remote, SETTINGS, (policy) -> mode, this.local::open, null, this.clock);
	}

	private static RateLimitPolicy policy(String name) {
		return RateLimitPolicy.of(name,
				TestPolicies.limit(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 10, Duration.ofDays(1)));
	}

	@AfterEach
	void close() {
		this.shared.close();
		this.local.close();
	}

	private RateLimitDecision decide(long permits) {
		return this.states.decide("key", permits);
	}

	private void breakDown() {
		this.remote.fails = true;
		for (int i = 0; i <= Breaker.FAILURES; i++) {
			decide(0);
		}
		this.remote.calls();
	}

	@Test
	void theStoreDecidesWhileItCan() {
		assertThat(decide(3).fallback()).isFalse();
		assertThat(decide(0).remaining()).isEqualTo(7);
		assertThat(this.remote.calls()).isEqualTo(2);
		assertThat(this.store.name()).isEqualTo("grid");
		assertThat(this.states.fallbacks()).isZero();
	}

	@Test
	void theFallbackGoesOnFromWhatTheStoreLastSaid() {
		decide(3);
		this.remote.fails = true;
		RateLimitDecision decision = decide(5);
		assertThat(decision.fallback()).isTrue();
		assertThat(decision.remaining()).isEqualTo(2);
		assertThat(decide(5).allowed()).isFalse();
		assertThat(this.states.fallbacks()).isEqualTo(2);
	}

	@Test
	void theFallbackBeginsAnewOnceTheLimitHasAllPermitsAgain() {
		long reset = decide(3).resetAfterNanos();
		this.remote.fails = true;
		this.clock.advanceNanos(reset);
		assertThat(decide(0)).returns(true, RateLimitDecision::fallback).returns(10L, RateLimitDecision::remaining);
	}

	@Test
	void aStoreThatFailsIsLeftAloneButForOneCallInEachInterval(CapturedOutput output) {
		breakDown();
		for (int i = 0; i < 3; i++) {
			assertThat(decide(0).fallback()).isTrue();
			assertThat(this.remote.calls()).isZero();
			this.clock.advance(INTERVAL);
			decide(0);
			decide(0);
			assertThat(this.remote.calls()).isOne();
		}
		assertThat(this.store.availability().isAvailable()).isFalse();
		assertThat(this.store.availability().failure()).isEqualTo("the cable is cut");
		assertThat(this.store.availability().outages()).isOne();
		assertThat(output)
			.containsOnlyOnce("The grid at grid:7000 cannot decide since 2026-03-05T00:00:00Z (the cable is cut)")
			.doesNotContain("Redis");
	}

	@Test
	void aStoreThatIsBackDecidesAgain(CapturedOutput output) {
		breakDown();
		this.remote.fails = false;
		this.clock.advance(INTERVAL);
		assertThat(decide(1).fallback()).isFalse();
		assertThat(decide(1).fallback()).isFalse();
		assertThat(this.store.availability().isAvailable()).isTrue();
		assertThat(this.store.availability().failure()).isNull();
		assertThat(output).containsOnlyOnce("The grid at grid:7000 answers again after 1 s; 4 decisions were made");
	}

	@Test
	void rejectionsOfAnyImplementationAreRemembered() {
		this.remote.view = ForeignDecision::of;
		decide(10);
		decide(1);
		this.remote.calls();
		this.clock.advance(Duration.ofMillis(1));
		assertThat(decide(1).retryAfter()).isEqualTo(Duration.ofDays(1).minusMillis(1));
		assertThat(decide(0).allowed()).isTrue();
		assertThat(this.remote.calls()).isZero();
	}

	@Test
	void aResetThatFailsNamesTheStore() {
		this.remote.fails = true;
		assertThatIllegalStateException().isThrownBy(() -> this.states.reset("key"))
			.withMessage("The key was not reset, because The grid cannot be asked: the cable is cut");
	}

	@Test
	void aRequestThatOneLimitOfTheFallbackRejectsTakesNothingFromTheOthers() {
		PolicyDecider both = this.store.open(RateLimitPolicy.of("both",
				TestPolicies.limit(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 10, Duration.ofDays(1)),
				TestPolicies.limit(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 5, Duration.ofHours(1))));
		this.remote.fails = true;
		assertThat(both.decide("key", 6).allowed()).isFalse();
		assertThat(both.decide("key", 0).limits()).extracting(LimitStatus::remaining).containsExactly(10L, 5L);
		RateLimitDecision given = both.decide("key", 4);
		both.refund("key", 4, given);
		assertThat(both.decide("key", 0).limits()).extracting(LimitStatus::remaining).containsExactly(10L, 5L);
	}

	@Test
	void aCostThatOnlyTheStoreCouldAllowMayComeAgainWhenItIsTried() {
		PolicyDecider half = new ResilientStore(this.remote,
				new ResilienceSettings(Duration.ofSeconds(20), INTERVAL, INTERVAL, 2), (policy) -> FailureMode.LOCAL,
				this.local::open, null, this.clock)
			.open(policy("half"));
		this.remote.fails = true;
		assertThat(half.decide("key", 10).retryAfter()).isEqualTo(INTERVAL);
		assertThat(half.decide("key", 11).retryAfterNanos()).isEqualTo(RateLimitDecision.NEVER);
	}

	@Test
	void aResetReachesTheFallbackAlsoWhileTheStoreFails() {
		this.remote.fails = true;
		decide(4);
		assertThatIllegalStateException().isThrownBy(() -> this.states.reset("key"));
		assertThat(decide(0).remaining()).isEqualTo(10);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aResetForgetsTheStoresAnswersAlsoIfItFails(boolean fails) {
		decide(10);
		assertThat(decide(1).allowed()).isFalse();
		this.remote.fails = fails;
		if (fails) {
			assertThatIllegalStateException().isThrownBy(() -> this.states.reset("key"));
		}
		else {
			this.states.reset("key");
		}
		this.remote.fails = true;
		this.remote.calls();
		assertThat(decide(0).remaining()).isEqualTo(10);
		assertThat(this.remote.calls()).isOne();
	}

	@Test
	void evictionsAreThoseOfTheFallback() {
		this.remote.fails = true;
		for (int i = 0; i < 105; i++) {
			this.states.decide("key" + i, 1);
		}
		assertThat(this.states.evictions()).isEqualTo(5);
	}

	@Test
	void failuresToRefundCountAndAnAnswerEndsThem() {
		RateLimitDecision given = decide(1);
		for (boolean fails : new boolean[] { true, true, false, true, true }) {
			this.remote.fails = fails;
			this.states.refund("key", 1, given);
			assertThat(this.store.availability().isAvailable()).isTrue();
		}
		this.states.refund("key", 1, given);
		assertThat(this.store.availability().isAvailable()).isFalse();
	}

	@Test
	void whatHoldsOnlyForRequestsThatCannotWaitIsNotRemembered() {
		PolicyDecider queue = queue();
		queue.decide("key", 1);
		assertThat(queue.decideWithoutDelay("key", 1).queueFull()).isTrue();
		RateLimitDecision waits = queue.decide("key", 1);
		assertThat(waits.allowed()).isTrue();
		queue.refund("key", 1, waits);
		assertThat(queue.decide("key", 0).remaining()).isEqualTo(9);
		assertThat(queue.decideWithoutDelay("key", 0).remaining()).isZero();
		this.remote.fails = true;
		assertThat(queue.decide("key", 0).remaining()).isEqualTo(9);
	}

	@Test
	void whatCannotWaitDoesNotWaitForTheFallbackEither() {
		PolicyDecider queue = queue();
		this.remote.fails = true;
		queue.decide("key", 1);
		assertThat(queue.decideWithoutDelay("key", 1).queueFull()).isTrue();
		assertThat(queue.decide("key", 1).delayNanos()).isPositive();
	}

	@Test
	void whatThePolicyRejectsAnywayIsRememberedOfRequestsThatCannotWaitToo() {
		PolicyDecider queue = queue();
		queue.decide("key", 10);
		assertThat(queue.decideWithoutDelay("key", 1)).returns(false, RateLimitDecision::allowed)
			.returns(false, RateLimitDecision::queueFull);
		this.remote.calls();
		assertThat(queue.decide("key", 1).allowed()).isFalse();
		assertThat(this.remote.calls()).isZero();
	}

	/* One permit an hour, and nine wait behind it. */
	private PolicyDecider queue() {
		return this.store.open(RateLimitPolicy.of("queue",
				RateLimit.builder(RateLimitAlgorithm.LEAKY_BUCKET)
					.limit(1)
					.window(Duration.ofHours(1))
					.burst(9L)
					.build()));
	}

}
