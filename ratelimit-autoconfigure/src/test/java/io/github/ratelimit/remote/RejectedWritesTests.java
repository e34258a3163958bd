package io.github.ratelimit.remote;

import java.time.Duration;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.remote.StoreCallException.Blame;
import io.github.ratelimit.store.ForwardingStates;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A server that takes no writes is back when one of its answers has written.
 */
class RejectedWritesTests {

	private static final Duration INTERVAL = Duration.ofSeconds(1);

	private static final RateLimitPolicy POLICY = RateLimitPolicy.of("policy",
			TestPolicies.limit(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 10, Duration.ofDays(1)));

	private final ManualClock clock = ManualClock.atMidnight();

	private final LocalRateLimitStore store = new LocalRateLimitStore(this.clock, 100);

	private final Full remote = new Full(this.store.open(POLICY));

	private final ResilientStore resilient = new OneRemotePolicy(this.remote).resilient(
			new ResilienceSettings(Duration.ofSeconds(20), INTERVAL, Duration.ZERO, 1), FailureMode.LOCAL, this.store,
			this.clock);

	private final PolicyDecider states = this.resilient.open(POLICY);

	@BeforeEach
	void fill() {
		this.states.decide("key", 4);
		this.remote.full = true;
		for (int i = 0; i <= Breaker.FAILURES; i++) {
			this.states.decide("key", 1);
		}
		assertThat(this.resilient.availability().isAvailable()).isFalse();
		this.remote.full = false;
		this.clock.advance(INTERVAL);
	}

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void aLookDoesNotSaySo() {
		assertThat(this.states.decide("key", 0).fallback()).isFalse();
		assertThat(this.resilient.availability().isAvailable()).isFalse();
	}

	@Test
	void aRejectionDoesNotSaySo() {
		assertThat(this.states.decide("key", 7)).returns(false, RateLimitDecision::fallback)
			.returns(false, RateLimitDecision::allowed);
		assertThat(this.resilient.availability().isAvailable()).isFalse();
	}

	@Test
	void aRequestThatPassesSaysSo() {
		assertThat(this.states.decide("key", 6).allowed()).isTrue();
		assertThat(this.resilient.availability().isAvailable()).isTrue();
	}

	@Test
	void inShadowOnlyARequestThatPassesSaysSoToo() {
		shadow().decide("key", 0);
		assertThat(this.resilient.availability().isAvailable()).isFalse();
		shadow().decideAsync("key", 0);
		assertThat(this.resilient.availability().isAvailable()).isFalse();
		assertThat(shadow().decideAsync("key", 7)).isCompletedWithValueMatching((decision) -> !decision.allowed());
		assertThat(this.resilient.availability().isAvailable()).isFalse();
		shadow().decide("key", 7);
		assertThat(this.resilient.availability().isAvailable()).isFalse();
		shadow().decideAsync("key", 1);
		assertThat(this.resilient.availability().isAvailable()).isTrue();
	}

	private PolicyDecider shadow() {
		return this.resilient
			.open(RateLimitPolicy.builder("policy").limits(POLICY.limits()).mode(RateLimitMode.SHADOW).build());
	}

	@Test
	void aSettlementThatRefundsDoesNotSaySo() {
		settle(4, 3);
		assertThat(this.resilient.availability().isAvailable()).isFalse();
	}

	@Test
	void aSettlementThatTakesMoreSaysSo() {
		settle(4, 5);
		assertThat(this.resilient.availability().isAvailable()).isTrue();
	}

	private void settle(long reserved, long used) {
		RateLimitDecision given = this.store.open(POLICY).decide("other", reserved);
		assertThat(this.states.settleAsync("key", reserved, used, given)).isCompleted();
	}

	/**
	 * States of a server that may be full.
	 */
	private static final class Full extends ForwardingStates {

		private boolean full;

		Full(PolicyDecider states) {
			super(states);
		}

		@Override
		public RateLimitDecision decide(String key, long permits) {
			if (this.full) {
				throw new StoreCallException("out of memory", null, Blame.WRITES);
			}
			return super.decide(key, permits);
		}

	}

}
