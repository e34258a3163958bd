package io.github.ratelimit.enforce;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.store.ForwardingStates;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitSession.Question;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Policies that are asked one after the other.
 */
class SeparateSessionTests {

	private final LocalRateLimitStore store = new LocalRateLimitStore(ManualClock.atMidnight(), 100);

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void whatALaterPolicyRejectsAfterAllIsRefundedByTheEarlierOnes() {
		PolicyDecider first = states("first", 3);
		PolicyDecider second = states("second", 1);
		PolicyDecider raced = new ForwardingStates(first) {

			@Override
			public RateLimitDecision decide(String key, long permits) {
				if (permits > 0) {
					second.decide("b", 1);
				}
				return super.decide(key, permits);
			}

		};
		List<RateLimitDecision> answers = SeparateSession.INSTANCE
			.decide(List.of(new Question(raced, "a", 2, false), new Question(second, "b", 1, false)));
		assertThat(answers).first().isNull();
		assertThat(answers).last().matches((rejection) -> !rejection.allowed());
		assertThat(first.decide("a", 0).remaining()).isEqualTo(3);
	}

	private PolicyDecider states(String name, long limit) {
		return this.store
			.open(RateLimitPolicy.of(name, RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, limit, Duration.ofDays(1))));
	}

}
