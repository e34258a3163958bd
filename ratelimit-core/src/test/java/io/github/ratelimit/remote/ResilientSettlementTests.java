package io.github.ratelimit.remote;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Settlements go where the decision came from, and hurt no request if that is gone.
 */
class ResilientSettlementTests extends RemoteStoreTest {

	private final PolicyDecider states = open(FailureMode.LOCAL);

	private PolicyDecider open(FailureMode mode) {
		return store(mode).open(RateLimitPolicy.builder("policy")
			.charge("status")
			.limit(TEN)
			.limit(RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 12, Duration.ofDays(1)))
			.build());
	}

	private RateLimitDecision decide(long permits) {
		return this.states.decide("key", permits);
	}

	private CompletableFuture<?> settle(long reserved, long used, RateLimitDecision given) {
		return this.states.settleAsync("key", reserved, used, given).toCompletableFuture();
	}

	@Test
	void theStoreSettlesWhatItHasGiven() {
		assertThat(settle(3, 1, decide(3))).isCompleted();
		assertThat(decide(0).remaining()).isEqualTo(9);
		assertThat(settle(1, 12, decide(1))).isCompleted();
		assertThat(decide(0).remaining()).isZero();
		RateLimitDecision given = decide(0);
		this.remote.calls();
		assertThat(settle(1, 1, given)).isCompleted();
		assertThat(this.remote.calls()).isZero();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aRejectionIsForgottenOnceASettlementWasTriedWhetherItIsKnownToBeDone(boolean fails) {
		RateLimitDecision given = decide(10);
		assertThat(decide(1).allowed()).isFalse();
		this.remote.calls();
		assertThat(decide(1).allowed()).isFalse();
		assertThat(this.remote.calls()).isZero();
		this.remote.fails = fails;
		assertThat(settle(10, 0, given).isCompletedExceptionally()).isEqualTo(fails);
		this.remote.fails = false;
		this.remote.calls();
		assertThat(decide(1).allowed()).isNotEqualTo(fails);
		assertThat(this.remote.calls()).isOne();
	}

	@Test
	void aRejectionOnTheWayOfASettlementIsForgottenToo() {
		RateLimitDecision given = decide(10);
		this.remote.slow = true;
		CompletableFuture<?> settled = settle(10, 0, given);
		assertThat(decide(1).allowed()).isFalse();
		assertThat(settled).isNotDone();
		this.remote.answerAll();
		assertThat(settled).isCompleted();
		assertThat(decide(1).allowed()).isTrue();
	}

	@Test
	void aCallerThatWaitsIsToldThatTheStoreIsNotAndTheReservationStands() {
		RateLimitDecision given = decide(3);
		this.states.settle("key", 3, 1, given);
		assertThat(decide(0).remaining()).isEqualTo(9);
		this.remote.fails = true;
		assertThatExceptionOfType(StoreCallException.class).isThrownBy(() -> this.states.settle("key", 1, 0, given));
		assertThat(settle(1, 5, given)).isCompletedExceptionally();
		this.remote.fails = false;
		assertThat(decide(0).remaining()).isEqualTo(9);
	}

	@Test
	void aStoreThatDoesNotAnswerIsNotAskedAndFailuresOpenTheBreaker() {
		RateLimitDecision given = decide(3);
		this.remote.calls();
		this.remote.fails = true;
		for (int i = 0; i < 10; i++) {
			assertThat(settle(3, 0, given)).isCompletedExceptionally();
		}
		assertThat(this.remote.calls()).isEqualTo(Breaker.FAILURES + 1);
		mend();
		assertThat(settle(3, 0, given)).isCompleted();
		assertThat(decide(0)).returns(false, RateLimitDecision::fallback).returns(10L, RateLimitDecision::remaining);
	}

	@Test
	void theFallbackSettlesWhatItHasGiven() {
		breakDown(this.states);
		RateLimitDecision given = decide(3);
		assertThat(given.fallback()).isTrue();
		assertThat(settle(3, 1, given)).isCompleted();
		assertThat(decide(0).remaining()).isEqualTo(9);
		assertThat(settle(3, 20, given)).isCompleted();
		assertThat(decide(0).remaining()).isZero();
		mend();
		decide(0);
		this.remote.calls();
		assertThat(settle(3, 0, given)).isCompleted();
		assertThat(this.remote.calls()).isZero();
	}

	@Test
	void whereEverythingPassesThereIsNothingToSettle() {
		PolicyDecider allowing = open(FailureMode.ALLOW);
		breakDown(allowing);
		RateLimitDecision given = allowing.decide("key", 3);
		assertThat(allowing.settleAsync("key", 3, 0, given)).isCompleted();
		assertThat(allowing.settleAsync("key", 3, 50, given)).isCompleted();
		assertThat(allowing.decide("key", 1).allowed()).isTrue();
	}

}
