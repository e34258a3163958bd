package io.github.ratelimit.local;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RoomyLimits;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.ManualClock;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Which keys the local store keeps, and for how long.
 */
class LocalDeciderLifecycleTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private final ManualClock clock = ManualClock.atMidnight();

	@AutoClose
	private final LocalRateLimitStore store = new LocalRateLimitStore(this.clock, 100);

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 100 })
	void keepsNoMoreKeysThanItsMaximumSize(int maximumSize) {
		try (LocalRateLimitStore small = new LocalRateLimitStore(this.clock, maximumSize)) {
			for (RateLimitAlgorithm algorithm : RateLimitAlgorithm.values()) {
				PolicyDecider states = small
					.open(RateLimitPolicy.of(algorithm.id(), RoomyLimits.of(algorithm, 5, MINUTE)));
				for (int i = 0; i < 5000; i++) {
					states.decide("key" + i, 1);
					assertThat(states.keys()).isLessThanOrEqualTo(maximumSize);
				}
				assertThat(states.evictions()).isEqualTo(5000 - maximumSize);
			}
		}
	}

	@Test
	void idleKeysAreForgottenExactlyWhenTheyAreAsGoodAsNew() {
		RandomCases.check(1000, (random) -> {
			RateLimitPolicy policy = RandomLimits.policy(random, 1, 61);
			try (LocalRateLimitStore fresh = new LocalRateLimitStore(this.clock, 100)) {
				PolicyDecider states = fresh.open(policy);
				RateLimitDecision last = states.decide("key", 1);
				for (int i = random.nextInt(10); i > 0; i--) {
					this.clock.advanceNanos(RandomLimits.pause(random, last, policy.limits().get(0)));
					last = states.decide("key", RandomLimits.permits(random, last, policy.capacity()));
				}
				long reset = states.decide("key", 0).resetAfterNanos();
				if (reset > 0) {
					this.clock.advanceNanos(reset - 1);
					fresh.forgetIdle();
					assertThat(states.keys()).isEqualTo(1);
					this.clock.advanceNanos(1);
				}
				fresh.forgetIdle();
				assertThat(states.keys()).isZero();
				assertThat(states.evictions()).isZero();
			}
		});
	}

	@ParameterizedTest
	@EnumSource
	void looksAndRequestsThatCanNeverPassCreateNoKeys(RateLimitAlgorithm algorithm) {
		RateLimit limit = RoomyLimits.of(algorithm, 5, MINUTE);
		for (PolicyDecider states : List.of(open(limit), open(RoomyLimits.of(algorithm, 10, MINUTE), limit))) {
			RateLimitDecision look = states.decide("key", 0);
			assertThat(look.allowed()).isTrue();
			assertThat(look.resetAfterNanos()).isZero();
			assertThat(states.decide("key", 7).retryAfterNanos()).isEqualTo(RateLimitDecision.NEVER);
			assertThat(states.keys()).isZero();
		}
	}

	@ParameterizedTest
	@EnumSource
	void resetMakesAKeyNewAndLeavesTheOthers(RateLimitAlgorithm algorithm) {
		PolicyDecider states = open(RoomyLimits.of(algorithm, 5, MINUTE));
		states.decide("alice", 3);
		RateLimitDecision other = states.decide("bob", 3);
		states.reset("alice");
		states.reset("nobody");
		assertThat(states.keys()).isEqualTo(1);
		assertThat(states.decide("alice", 0).resetAfterNanos()).isZero();
		assertThat(states.decide("bob", 0).remaining()).isEqualTo(other.remaining());
		assertThat(states.evictions()).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void allKeysOfAllPoliciesAreForgottenTogether(RateLimitAlgorithm algorithm) {
		PolicyDecider one = open(RoomyLimits.of(algorithm, 5, MINUTE));
		PolicyDecider other = open(RoomyLimits.of(algorithm, 5, MINUTE), RoomyLimits.of(algorithm, 9, MINUTE));
		for (String key : List.of("alice", "bob")) {
			one.decide(key, 3);
			other.decide(key, 3);
		}
		assertThat(this.store.forgetAll()).isTrue();
		assertThat(one.keys() + other.keys()).isZero();
		assertThat(this.store.memory().used()).isZero();
		assertThat(one.decide("alice", 0).resetAfterNanos()).isZero();
		assertThat(other.decide("bob", 0).resetAfterNanos()).isZero();
		assertThat(one.evictions() + other.evictions()).isZero();
	}

	@Test
	void aMaximumBelowOneIsRejected() {
		assertThatIllegalArgumentException().isThrownBy(() -> new LocalRateLimitStore(this.clock, 0))
			.withMessage("The maximum number of keys must be at least 1, not 0");
		assertThatIllegalArgumentException().isThrownBy(() -> new LocalRateLimitStore(this.clock, 1, 0))
			.withMessage("The maximum memory must be at least 1 byte, not 0");
	}

	private PolicyDecider open(RateLimit... limits) {
		return this.store.open(RateLimitPolicy.of("policy", limits));
	}

}
