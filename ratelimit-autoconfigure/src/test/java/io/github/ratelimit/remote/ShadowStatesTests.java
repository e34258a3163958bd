package io.github.ratelimit.remote;

import java.time.Duration;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A policy in shadow whose store may fail: nothing decides in the store's place.
 */
class ShadowStatesTests {

	private static final Duration INTERVAL = Duration.ofSeconds(1);

	private final ManualClock clock = ManualClock.atMidnight();

	private final LocalRateLimitStore shared = new LocalRateLimitStore(this.clock, 100);

	private final LocalRateLimitStore local = new LocalRateLimitStore(this.clock, 100);

	private final FailingStore remote = new FailingStore(this.shared);

	private final ResilientStore store = new ResilientStore(this.remote,
			new ResilienceSettings(Duration.ofSeconds(20), INTERVAL, INTERVAL, 1), (policy) -> FailureMode.REJECT,
			this.local::open, null, this.clock);

	private final PolicyDecider states = this.store.open(policy(10));

	@AfterEach
	void close() {
		this.shared.close();
		this.local.close();
	}

	private static RateLimitPolicy policy(long limit) {
		return RateLimitPolicy.builder("policy")
			.limit(TestPolicies.limit(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, limit, Duration.ofDays(1)))
			.charge("status")
			.mode(RateLimitMode.SHADOW)
			.build();
	}

	private RateLimitDecision decide(long permits) {
		return this.states.decideAsync("key", permits).toCompletableFuture().join();
	}

	private boolean fails(long permits) {
		return this.states.decideAsync("key", permits).toCompletableFuture().isCompletedExceptionally();
	}

	private boolean isAvailable() {
		return this.store.availability().isAvailable();
	}

	private void breakDown() {
		this.remote.fails = true;
		for (int i = 0; i <= Breaker.FAILURES; i++) {
			assertThat(fails(1)).isTrue();
		}
		assertThat(isAvailable()).isFalse();
		this.remote.calls();
	}

	@Test
	void theStoreDecides() {
		assertThat(decide(3).remaining()).isEqualTo(7);
		assertThat(this.states.decide("key", 0).remaining()).isEqualTo(7);
		assertThat(this.states.decide("key", 0).fallback()).isFalse();
		assertThat(this.remote.calls()).isEqualTo(3);
	}

	@Test
	void rejectionsAreRemembered() {
		decide(10);
		assertThat(decide(1).allowed()).isFalse();
		this.remote.calls();
		assertThat(decide(1).allowed()).isFalse();
		assertThat(this.remote.calls()).isZero();
	}

	@Test
	void aStoreThatFailsIsLeftAloneAndNothingDecidesInItsPlace() {
		breakDown();
		assertThat(fails(1)).isTrue();
		assertThat(this.states.decide("key", 0)).returns(true, RateLimitDecision::fallback)
			.returns(true, RateLimitDecision::allowed);
		this.states.refund("key", 1, this.states.decide("key", 0));
		assertThat(this.remote.calls()).isZero();
		this.remote.fails = false;
		this.clock.advance(INTERVAL);
		assertThat(decide(1).remaining()).isEqualTo(9);
		assertThat(isAvailable()).isTrue();
	}

	@Test
	void otherNumbersGoOnWithTheSameKeys() {
		decide(4);
		PolicyDecider more = this.states.under(policy(20));
		assertThat(more).isNotNull();
		assertThat(more.decideAsync("key", 1).toCompletableFuture().join().remaining()).isEqualTo(15);
	}

}
