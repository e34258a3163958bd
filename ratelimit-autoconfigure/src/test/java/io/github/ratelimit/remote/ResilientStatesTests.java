package io.github.ratelimit.remote;

import java.time.Duration;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.store.ForwardingStates;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests that cross a reset or a return on their way do not keep a rejection alive.
 */
class ResilientStatesTests {

	private static final RateLimitPolicy POLICY = RateLimitPolicy.of("policy",
			TestPolicies.limit(RateLimitAlgorithm.TOKEN_BUCKET, 1, Duration.ofHours(1)));

	private final ManualClock clock = ManualClock.atMidnight();

	private final LocalRateLimitStore local = new LocalRateLimitStore(this.clock, 100);

	private final CrossedStates remote = new CrossedStates(this.local.open(POLICY));

	private final PolicyDecider states = new OneRemotePolicy(this.remote)
		.resilient(new ResilienceSettings(Duration.ofSeconds(20), Duration.ofSeconds(1), Duration.ofSeconds(1), 1),
				FailureMode.REJECT, this.local, this.clock)
		.open(POLICY);

	@AfterEach
	void close() {
		this.local.close();
	}

	@Test
	void aRejectionThatIsAskedBeforeAResetIsForgotten() {
		this.states.decide("key", 1);
		this.remote.beforeChange = () -> this.states.decide("key", 1);
		this.states.reset("key");
		assertThat(this.states.decide("key", 1).allowed()).isTrue();
	}

	@Test
	void aRejectionThatIsAskedBeforeAReturnIsForgotten() {
		RateLimitDecision given = this.states.decide("key", 1);
		this.remote.beforeChange = () -> this.states.decide("key", 1);
		this.states.refund("key", 1, given);
		assertThat(this.states.decide("key", 1).allowed()).isTrue();
	}

	@Test
	void aRejectionThatArrivesAfterAResetIsNotRemembered() {
		this.states.decide("key", 1);
		this.remote.afterDecision = () -> this.states.reset("key");
		assertThat(this.states.decide("key", 1).allowed()).isFalse();
		assertThat(this.states.decide("key", 1).allowed()).isTrue();
	}

	@Test
	void rejectionsAfterAResetAreRememberedAgain() {
		this.states.decide("key", 1);
		this.states.reset("key");
		this.states.decide("key", 1);
		this.clock.advanceNanos(1);
		assertThat(this.states.decide("key", 1).allowed()).isFalse();
		this.remote.states().reset("key");
		assertThat(this.states.decide("key", 1).allowed()).isFalse();
	}

	/**
	 * States in which something else happens meanwhile, once.
	 */
	private static final class CrossedStates extends ForwardingStates {

		private Runnable beforeChange = () -> {
		};

		private Runnable afterDecision = () -> {
		};

		CrossedStates(PolicyDecider states) {
			super(states);
		}

		private PolicyDecider states() {
			return this.states;
		}

		@Override
		public RateLimitDecision decide(String key, long permits) {
			RateLimitDecision decision = super.decide(key, permits);
			Runnable after = this.afterDecision;
			this.afterDecision = () -> {
			};
			after.run();
			return decision;
		}

		@Override
		public void refund(String key, long permits, RateLimitDecision given) {
			this.beforeChange.run();
			super.refund(key, permits, given);
		}

		@Override
		public void reset(String key) {
			this.beforeChange.run();
			super.reset(key);
		}

	}

}
