package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.store.PolicyDecider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What was decided under other numbers is settled and refunded, and debts are paid.
 */
class LimitVersionsSettlementTests extends OneVersionedPolicy {

	@ParameterizedTest
	@EnumSource(RateLimitAlgorithm.class)
	void aDebtIsPaidUnderOtherNumbersToo(RateLimitAlgorithm algorithm) {
		RateLimit small = TestPolicies.withoutDelay(algorithm, 10, HOUR);
		RateLimit large = TestPolicies.withoutDelay(algorithm, 100, HOUR);
		PolicyDecider states = charged(small);
		RateLimitDecision given = states.decide("key", 1);
		states.settle("key", 1, 17, given);
		assertThat(states.decide("key", 0).remaining()).isZero();
		PolicyDecider upgraded = states.under(chargedPolicy(large));
		assertThat(upgraded.decide("key", 0).remaining()).isEqualTo(83);
		RateLimitDecision second = upgraded.decide("key", 1);
		upgraded.settle("key", 1, 1000, second);
		PolicyDecider downgraded = upgraded.under(chargedPolicy(small));
		assertThat(downgraded.decide("key", 1).retryAfterNanos()).isBetween(1L, 3 * HOUR.toNanos());
		server.clock().advanceNanos(3 * HOUR.toNanos());
		assertThat(downgraded.decide("key", 1).allowed()).isTrue();
	}

	private static RateLimitPolicy chargedPolicy(RateLimit... limits) {
		return RateLimitPolicy.builder("policy").charge("status >= 400").limits(List.of(limits)).build();
	}

	private static PolicyDecider charged(RateLimit... limits) {
		return server.open(chargedPolicy(limits));
	}

	/*
	 * The settlement of a request that was decided before the change.
	 */
	@ParameterizedTest
	@EnumSource(RateLimitAlgorithm.class)
	void whatIsSettledUnderEarlierNumbersForgivesNothing(RateLimitAlgorithm algorithm) {
		for (Duration window : new Duration[] { HOUR, HOUR.multipliedBy(24) }) {
			beginADay();
			PolicyDecider free = charged(TestPolicies.withoutDelay(algorithm, 10, HOUR));
			RateLimitDecision given = free.decide("key", 2);
			PolicyDecider pro = free.under(chargedPolicy(TestPolicies.withoutDelay(algorithm, 1000, window)));
			pro.decide("key", 500);
			free.settle("key", 2, 2, given);
			free.settle("key", 2, 3, given);
			assertThat(pro.decide("key", 0).remaining()).as("%s", window).isBetween(497L, 498L);
			free.refund("key", 2, given);
			assertThat(pro.decide("key", 0).remaining()).as("%s", window).isBetween(497L, 500L);
			server.clock().advanceNanos(HOUR.toNanos());
			long remaining = pro.decide("key", 0).remaining();
			free.refund("key", 1, given);
			assertThat(pro.decide("key", 0).remaining()).as("%s", window).isBetween(remaining, remaining + 1);
		}
	}

	@Test
	void aDecisionOfFewerLimitsIsRefundedToThoseThatMadeIt() {
		RateLimit first = limit(TOKEN_BUCKET, 10, HOUR);
		PolicyDecider one = open(first);
		RateLimitDecision given = one.decide("key", 4);
		PolicyDecider two = under(one, first, limit(SLIDING_WINDOW_LOG, 10, HOUR));
		two.decide("key", 1);
		two.refund("key", 4, given);
		assertThat(two.decide("key", 0).limits()).extracting(LimitStatus::remaining).containsExactly(9L, 9L);
	}

	private static RateLimit daily(RateLimitAlgorithm algorithm, long capacity) {
		return TestPolicies.withoutDelay(algorithm, capacity, HOUR.multipliedBy(24));
	}

	static Stream<RateLimitAlgorithm[]> otherAlgorithms() {
		return ChangedLimitsTests.otherAlgorithms();
	}

	@ParameterizedTest
	@MethodSource("otherAlgorithms")
	void anEarlierDecisionDoesNotUndoWhatAnotherAlgorithmHasCounted(RateLimitAlgorithm before,
			RateLimitAlgorithm after) {
		PolicyDecider earlier = server.open(chargedPolicy(daily(before, 10)));
		RateLimitDecision given = earlier.decide("key", 4);
		server.clock().advanceNanos(1000);
		PolicyDecider present = earlier.under(chargedPolicy(daily(after, 20)));
		present.decide("key", 15);
		earlier.refund("key", 4, given);
		assertThat(present.decide("key", 0).remaining()).as("refunded").isEqualTo(5);
		earlier.settle("key", 4, 6, given);
		assertThat(present.decide("key", 0).remaining()).as("settled").isEqualTo(5);
	}

	@Test
	void anEarlierDecisionDoesNotUndoWhatALimitHasCountedThatWasAdded() {
		for (RateLimitAlgorithm added : RateLimitAlgorithm.values()) {
			beginADay();
			PolicyDecider earlier = server.open(chargedPolicy(daily(TOKEN_BUCKET, 100)));
			RateLimitDecision given = earlier.decide("key", 4);
			server.clock().advanceNanos(1000);
			PolicyDecider present = earlier.under(chargedPolicy(daily(TOKEN_BUCKET, 100), daily(added, 20)));
			present.decide("key", 15);
			earlier.refund("key", 4, given);
			earlier.settle("key", 4, 6, given);
			assertThat(present.decide("key", 0).limits()).as("%s", added)
				.extracting(LimitStatus::remaining)
				.element(1)
				.isEqualTo(5L);
		}
	}

	@Test
	void anEarlierDecisionIsRefundedWhereALimitWasRemoved() {
		PolicyDecider earlier = server
			.open(chargedPolicy(daily(FIXED_WINDOW_COUNTER, 20), daily(SLIDING_WINDOW_LOG, 20)));
		RateLimitDecision given = earlier.decide("key", 4);
		PolicyDecider present = earlier.under(chargedPolicy(daily(FIXED_WINDOW_COUNTER, 20)));
		present.decide("key", 5);
		earlier.refund("key", 4, given);
		assertThat(present.decide("key", 0).remaining()).isEqualTo(15);
	}

}
