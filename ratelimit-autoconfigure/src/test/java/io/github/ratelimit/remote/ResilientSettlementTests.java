package io.github.ratelimit.remote;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Settlements go where the decision came from, and hurt no request if that is gone.
 */
class ResilientSettlementTests {

	private static final Duration INTERVAL = Duration.ofSeconds(1);

	private final ManualClock clock = ManualClock.atMidnight();

	private final LocalRateLimitStore shared = new LocalRateLimitStore(this.clock, 100);

	private final LocalRateLimitStore local = new LocalRateLimitStore(this.clock, 100);

	private final FailingStore remote = new FailingStore(this.shared);

	private PolicyDecider states = open(FailureMode.LOCAL);

	private int lost;

	private PolicyDecider open(FailureMode mode) {
		ResilienceSettings settings = new ResilienceSettings(Duration.ofSeconds(20), INTERVAL, INTERVAL, 1);
		return new ResilientStore(this.remote, settings, (policy) -> mode, this.local::open, null, this.clock)
			.open(RateLimitPolicy.builder("policy")
				.charge("status")
				.limit(RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 10, Duration.ofDays(1)))
				.limit(RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 12, Duration.ofDays(1)))
				.build());
	}

	@AfterEach
	void close() {
		this.shared.close();
		this.local.close();
	}

	private RateLimitDecision decide(long permits) {
		return this.states.decide("key", permits);
	}

	private void settle(long reserved, long used, RateLimitDecision given) {
		CompletionStage<Void> settled = this.states.settleAsync("key", reserved, used, given);
		assertThat(settled.toCompletableFuture()).isDone();
		this.lost += settled.toCompletableFuture().isCompletedExceptionally() ? 1 : 0;
	}

	private void breakDown() {
		this.remote.fails = true;
		for (int i = 0; i <= Breaker.FAILURES; i++) {
			decide(0);
		}
		this.remote.calls();
	}

	@Test
	void theStoreSettlesWhatItHasGiven() {
		settle(3, 1, decide(3));
		assertThat(decide(0).remaining()).isEqualTo(9);
		settle(1, 12, decide(1));
		assertThat(decide(0).remaining()).isZero();
		this.remote.calls();
		settle(1, 1, decide(0));
		assertThat(this.remote.calls()).isEqualTo(1);
		assertThat(this.lost).isZero();
	}

	@Test
	void aRejectionIsForgottenOncePermitsWentBack() {
		RateLimitDecision given = decide(10);
		assertThat(decide(1).allowed()).isFalse();
		this.remote.calls();
		assertThat(decide(1).allowed()).isFalse();
		assertThat(this.remote.calls()).isZero();
		settle(10, 0, given);
		assertThat(decide(1).allowed()).isTrue();
	}

	@Test
	void aRejectionIsForgottenThoughItIsNotKnownWhetherPermitsWentBack() {
		RateLimitDecision given = decide(10);
		assertThat(decide(1).allowed()).isFalse();
		this.remote.fails = true;
		settle(10, 0, given);
		assertThat(this.lost).isOne();
		this.remote.fails = false;
		this.remote.calls();
		decide(1);
		assertThat(this.remote.calls()).isOne();
	}

	@Test
	void aCallerThatWaitsIsToldThatTheStoreIsNot() {
		RateLimitDecision given = decide(3);
		this.states.settle("key", 3, 1, given);
		assertThat(decide(0).remaining()).isEqualTo(9);
		this.remote.fails = true;
		assertThatExceptionOfType(StoreCallException.class).isThrownBy(() -> this.states.settle("key", 1, 0, given));
	}

	@Test
	void aRejectionOnTheWayOfASettlementIsForgottenToo() {
		RateLimitDecision given = decide(10);
		this.remote.slow = true;
		CompletionStage<Void> settled = this.states.settleAsync("key", 10, 0, given);
		assertThat(decide(1).allowed()).isFalse();
		assertThat(settled.toCompletableFuture()).isNotDone();
		this.remote.answerAll();
		assertThat(settled.toCompletableFuture()).isCompleted();
		assertThat(decide(1).allowed()).isTrue();
	}

	@Test
	void aSettlementThatFailsIsCountedAndTheReservationStands() {
		RateLimitDecision given = decide(3);
		this.remote.fails = true;
		settle(3, 0, given);
		settle(3, 5, given);
		assertThat(this.lost).isEqualTo(2);
		this.remote.fails = false;
		assertThat(decide(0).remaining()).isEqualTo(7);
	}

	@Test
	void aStoreThatDoesNotAnswerIsNotAskedAndFailuresOpenTheBreaker() {
		RateLimitDecision given = decide(3);
		this.remote.calls();
		this.remote.fails = true;
		for (int i = 0; i < 10; i++) {
			settle(3, 0, given);
		}
		assertThat(this.remote.calls()).isEqualTo(Breaker.FAILURES + 1);
		assertThat(this.lost).isEqualTo(10);
		this.remote.fails = false;
		this.clock.advance(INTERVAL);
		settle(3, 0, given);
		assertThat(decide(0).fallback()).isFalse();
		assertThat(decide(0).remaining()).isEqualTo(10);
	}

	@Test
	void theFallbackSettlesWhatItHasGiven() {
		breakDown();
		RateLimitDecision given = decide(3);
		assertThat(given.fallback()).isTrue();
		settle(3, 1, given);
		assertThat(decide(0).remaining()).isEqualTo(9);
		settle(3, 20, given);
		assertThat(decide(0).remaining()).isZero();
		this.remote.fails = false;
		this.clock.advance(INTERVAL);
		decide(0);
		this.remote.calls();
		settle(3, 0, given);
		assertThat(this.remote.calls()).isZero();
		assertThat(this.lost).isZero();
	}

	@Test
	void whereEverythingPassesThereIsNothingToSettle() {
		this.states = open(FailureMode.ALLOW);
		breakDown();
		RateLimitDecision given = decide(3);
		assertThat(given.allowed()).isTrue();
		settle(3, 0, given);
		settle(3, 50, given);
		assertThat(decide(1).allowed()).isTrue();
		assertThat(this.lost).isZero();
	}

	@Test
	void onlySoManySettlementsAreOnTheirWayAtATime() throws Exception {
		RateLimitDecision given = decide(1);
		this.remote.slow = true;
		List<CompletionStage<Void>> settled = new ArrayList<>();
		for (int i = 0; i < ResilientStore.MOST_SETTLEMENTS + 5; i++) {
			settled.add(this.states.settleAsync("key", 1, 0, given));
		}
		assertThat(settled).filteredOn((each) -> each.toCompletableFuture().isCompletedExceptionally()).hasSize(5);
		assertThat(settled).filteredOn((each) -> !each.toCompletableFuture().isDone())
			.hasSize(ResilientStore.MOST_SETTLEMENTS);
		this.remote.answerAll();
		for (CompletionStage<Void> each : settled.subList(0, ResilientStore.MOST_SETTLEMENTS)) {
			each.toCompletableFuture().get(60, TimeUnit.SECONDS);
		}
		this.remote.slow = false;
		settle(1, 0, given);
		assertThat(this.lost).isZero();
	}

	/*
	 * Those that are too many, that fail, at once or later, that end in an error of the
	 * virtual machine, and that the store is not told.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "too many", "fails", "fails at once", "error", "unavailable" })
	void settlementsThatFailAreNoLongerOnTheirWay(String how) {
		RateLimitDecision given = decide(1);
		this.remote.slow = how.equals("too many");
		this.remote.abrupt = how.equals("fails at once");
		this.remote.error = how.equals("error") ? new NoClassDefFoundError("expected by the test") : null;
		if (how.equals("unavailable")) {
			breakDown();
		}
		for (int i = 0; i < 2 * ResilientStore.MOST_SETTLEMENTS; i++) {
			this.remote.fails = how.startsWith("fails") || how.equals("unavailable");
			this.states.settleAsync("key", 1, 0, given);
			if (how.startsWith("fails")) {
				this.remote.fails = false;
				this.clock.advance(INTERVAL);
				decide(0);
			}
		}
		this.remote.answerAll();
		this.remote.slow = false;
		this.remote.abrupt = false;
		this.remote.error = null;
		this.remote.fails = false;
		this.clock.advance(INTERVAL);
		settle(1, 0, given);
		assertThat(this.lost).isZero();
		assertThat(decide(0).remaining()).isEqualTo(10);
	}

}
