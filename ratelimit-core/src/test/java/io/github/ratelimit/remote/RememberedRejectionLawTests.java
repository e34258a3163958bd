package io.github.ratelimit.remote;

import java.util.Random;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.ManualClock;
import io.github.ratelimit.test.model.Decisions;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is remembered is what would have been said. A store in this process stands in for
 * one over a network, so that both have one clock.
 */
@ParameterizedClass(name = "joined = {0}")
@ValueSource(booleans = { false, true })
class RememberedRejectionLawTests {

	private final ManualClock clock = ManualClock.atMidnight();

	@Parameter
	private boolean joined;

	@ParameterizedTest
	@EnumSource
	void aRememberedRejectionIsWhatTheStoreWouldSay(RateLimitAlgorithm algorithm) {
		RandomCases.check(300, (random) -> {
			RateLimit limit = RandomLimits.exact(random, algorithm, 1, 61);
			try (LocalRateLimitStore store = new LocalRateLimitStore(this.clock, 100);
					LocalRateLimitStore same = new LocalRateLimitStore(this.clock, 100)) {
				checkTrace(random, limit, states(store, limit), same.open(RateLimitPolicy.of("same", limit)));
			}
		});
	}

	private void checkTrace(Random random, RateLimit limit, PolicyDecider remembering, PolicyDecider asking) {
		RateLimitDecision last = asking.decide("key", 0);
		for (int step = 0; step < 40; step++) {
			long permits = RandomLimits.permits(random, last, limit.capacity());
			last = asking.decide("key", permits);
			assertThat(Decisions.describe(remembering.decide("key", permits))).as("%d permits of %s", permits, limit)
				.isEqualTo(Decisions.describe(last));
			this.clock
				.advanceNanos(random.nextBoolean() ? random.nextInt(1000) : RandomLimits.pause(random, last, limit));
		}
	}

	private PolicyDecider states(LocalRateLimitStore store, RateLimit limit) {
		FakeRemoteStore remote = new FakeRemoteStore(store, false);
		remote.way = (states) -> this.joined ? new HeldDecider(states).amongLooks() : states;
		return new ResilientStore(remote, RemoteStoreTest.SETTINGS, (policy) -> FailureMode.REJECT, store::open,
				store.memories(), this.clock)
			.open(RateLimitPolicy.of("policy", limit));
	}

}
