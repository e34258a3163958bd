package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.stream.Stream;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications are deployed with other limits while their state lives in Redis, and old
 * and new instances then decide side by side.
 */
class ChangedLimitsTests extends OneStore {

	private static final Duration HOUR = Duration.ofHours(1);

	private static PolicyDecider open(RateLimit... limits) {
		return store.open(RateLimitPolicy.of("policy", limits));
	}

	private static PolicyDecider open(RateLimitAlgorithm algorithm, long capacity) {
		return open(TestPolicies.limit(algorithm, capacity, HOUR));
	}

	@ParameterizedTest
	@EnumSource(RateLimitAlgorithm.class)
	void aLimitBelowWhatWasTakenLetsNothingThrough(RateLimitAlgorithm algorithm) {
		open(algorithm, 20).decide("key", 15);
		RateLimitDecision decision = open(algorithm, 10).decide("key", 1);
		assertThat(decision.allowed()).isFalse();
		assertThat(decision.remaining()).isZero();
		assertThat(decision.retryAfterNanos()).isBetween(1L, 2 * HOUR.toNanos());
	}

	static Stream<RateLimitAlgorithm[]> otherAlgorithms() {
		return Stream.of(RateLimitAlgorithm.values())
			.flatMap((before) -> Stream.of(RateLimitAlgorithm.values())
				.filter((after) -> after != before)
				.map((after) -> new RateLimitAlgorithm[] { before, after }));
	}

	@ParameterizedTest
	@MethodSource("otherAlgorithms")
	void anotherAlgorithmBeginsAnew(RateLimitAlgorithm before, RateLimitAlgorithm after) {
		open(before, 10).decide("key", 8);
		PolicyDecider other = open(after, 10);
		assertThat(other.decide("key", 0).remaining()).isEqualTo(10);
		assertThat(other.decide("key", 4).remaining()).isEqualTo(6);
		assertThat(other.decide("key", 0).remaining()).isEqualTo(6);
	}

	@Test
	void aLimitThatIsAddedBeginsAnewAndTheOthersGoOn() {
		RateLimit first = TestPolicies.limit(TOKEN_BUCKET, 10, HOUR);
		RateLimit second = TestPolicies.limit(SLIDING_WINDOW_LOG, 20, HOUR);
		open(first).decide("key", 8);
		assertThat(open(first, second).decide("key", 0).limits()).extracting(LimitStatus::remaining)
			.containsExactly(2L, 20L);
		assertThat(open(first, second).decide("key", 1).limits()).extracting(LimitStatus::remaining)
			.containsExactly(1L, 19L);
	}

	@Test
	void aLimitThatIsRemovedLeavesTheOthersAsTheyWere() {
		RateLimit first = TestPolicies.limit(SLIDING_WINDOW_COUNTER, 10, HOUR);
		RateLimit second = TestPolicies.limit(SLIDING_WINDOW_LOG, 20, HOUR);
		RateLimit third = TestPolicies.limit(FIXED_WINDOW_COUNTER, 30, HOUR);
		open(first, second, third).decide("key", 8);
		assertThat(open(first, second).decide("key", 0).limits()).extracting(LimitStatus::remaining)
			.containsExactly(2L, 12L);
		assertThat(open(first, second).decide("key", 1).limits()).extracting(LimitStatus::remaining)
			.containsExactly(1L, 11L);
	}

	@ParameterizedTest
	@MethodSource("otherAlgorithms")
	void theLimitsBehindAnotherAlgorithmGoOn(RateLimitAlgorithm before, RateLimitAlgorithm after) {
		for (RateLimitAlgorithm behind : RateLimitAlgorithm.values()) {
			RateLimit second = TestPolicies.limit(behind, 20, HOUR);
			open(TestPolicies.limit(before, 10, HOUR), second).decide("key", 8);
			PolicyDecider changed = open(TestPolicies.limit(after, 10, HOUR), second);
			assertThat(changed.decide("key", 0).limits()).as("%s", behind)
				.extracting(LimitStatus::remaining)
				.containsExactly(10L, 12L);
			assertThat(changed.decide("key", 1).limits()).as("%s", behind)
				.extracting(LimitStatus::remaining)
				.containsExactly(9L, 11L);
			assertThat(changed.decide("key", 1).limits()).as("%s", behind)
				.extracting(LimitStatus::remaining)
				.containsExactly(8L, 10L);
			redis.call("FLUSHALL");
		}
	}

	@Test
	void aLoweredLogNeedsNoMoreMemoryThanItsLimit() {
		open(SLIDING_WINDOW_LOG, 100).decide("key", 90);
		PolicyDecider lowered = open(TestPolicies.countingRejected(10, HOUR));
		assertThat(lowered.decide("key", 1).allowed()).isFalse();
		assertThat(redis.number("STRLEN", "test:{policy:key}:log1")).isEqualTo(80);
		assertThat(redis.number("PTTL", "test:{policy:key}:log1")).isPositive();
		assertThat(lowered.decide("key", 0).remaining()).isZero();
	}

	@Test
	void whateverLimitsFollowOneAnotherDecisionsStaySane() {
		RandomCases.check(150, (random) -> {
			redis.call("FLUSHALL");
			for (int i = 0; i < 6; i++) {
				RateLimitPolicy policy = RandomLimits.policy(random, 1000, 52);
				PolicyDecider states = store.open(policy);
				RateLimitDecision last = states.decide("key", 0);
				for (int j = 0; j < 4; j++) {
					RateLimitDecision decision = states.decide("key",
							RandomLimits.permits(random, last, policy.capacity()));
					checkSane(decision, policy);
					if (decision.allowed() && random.nextInt(3) == 0) {
						states.refund("key", 1, decision);
					}
					last = decision;
				}
			}
			assertThat(store.availability().outages()).isZero();
		});
	}

	private static void checkSane(RateLimitDecision decision, RateLimitPolicy policy) {
		assertThat(decision.fallback()).as("%s", policy).isFalse();
		assertThat(decision.remaining()).as("%s", policy).isBetween(0L, policy.capacity());
		assertThat(decision.resetAfterNanos()).as("%s", policy).isNotNegative();
		assertThat(decision.nextPermitAfterNanos()).as("%s", policy).isBetween(0L, decision.resetAfterNanos());
		if (decision.allowed()) {
			assertThat(decision.delayNanos()).as("%s", policy).isBetween(0L, decision.resetAfterNanos());
		}
	}

}
