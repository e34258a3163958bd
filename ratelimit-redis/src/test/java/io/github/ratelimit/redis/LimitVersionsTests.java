package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.github.ratelimit.CalendarModel;
import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static io.github.ratelimit.TestPolicies.limit;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Plans, overrides and instances that were deployed with other limits decide on the same
 * keys: what was taken stays taken, is settled and refunded, and decisions stay sane.
 */
class LimitVersionsTests extends AloneAndAmongLooks {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final Duration HOUR = Duration.ofHours(1);

	@Test
	void aWaitThatWasPromisedIsNotBrokenByAnotherPace() {
		RateLimit slow = limit(RateLimitAlgorithm.LEAKY_BUCKET, 10, MINUTE);
		RateLimit fast = limit(RateLimitAlgorithm.LEAKY_BUCKET, 60, MINUTE);
		PolicyDecider states = open(slow);
		states.decide("key", 1);
		assertThat(states.decide("key", 1).delayNanos()).isEqualTo(Duration.ofSeconds(6).toNanos());
		RateLimitDecision behind = under(states, fast).decide("key", 1);
		assertThat(behind.delayNanos()).isEqualTo(Duration.ofSeconds(2).toNanos());
	}

	@ParameterizedTest
	@ValueSource(longs = { 61, 90, 120, 121, 500 })
	void aBucketOfALowerBurstIsEmptyAndOwesNothing(long taken) {
		RateLimit.Builder limit = RateLimit.builder(TOKEN_BUCKET).limit(60).window(MINUTE);
		PolicyDecider large = open(limit.burst(600L).build());
		large.decide("key", taken);
		RateLimitDecision empty = under(large, limit.burst(60L).build()).decide("key", 1);
		assertThat(empty.allowed()).isFalse();
		assertThat(empty.remaining()).isZero();
		assertThat(empty.nextPermitAfterNanos()).isEqualTo(Duration.ofSeconds(1).toNanos());
	}

	@Test
	void whatALowerBurstDoesNotHoldIsNotRefundedToIt() {
		RateLimit.Builder limit = RateLimit.builder(TOKEN_BUCKET).limit(60).window(HOUR);
		PolicyDecider large = open(limit.burst(20L).build());
		RateLimitDecision given = large.decide("key", 8);
		large.decide("key", 7);
		server.clock().advanceNanos(1000);
		PolicyDecider small = under(large, limit.burst(10L).build());
		assertThat(small.decide("key", 1).allowed()).isFalse();
		large.refund("key", 8, given);
		// the seven others are still taken
		assertThat(small.decide("key", 0).remaining()).isLessThanOrEqualTo(3);
	}

	@ParameterizedTest
	@EnumSource
	void aLoweredLimitAppliesAtOnceToWhatWasTaken(RateLimitAlgorithm algorithm) {
		RateLimit lowered = TestPolicies.withoutDelay(algorithm, 10, HOUR);
		for (long taken : new long[] { 10, 11, 15, 20, 21, 40 }) {
			beginADay();
			PolicyDecider higher = open(TestPolicies.withoutDelay(algorithm, 40, HOUR));
			higher.decide("key", taken);
			RateLimitDecision rejected = under(higher, lowered).decide("key", 1);
			assertThat(rejected.allowed()).as("%d taken", taken).isFalse();
			PolicyDecider alone = server.open("alone", policy(lowered));
			alone.decide("key", 10);
			assertThat(rejected.retryAfterNanos()).as("%d taken", taken)
				.isEqualTo(alone.decide("key", 1).retryAfterNanos());
		}
	}

	@Test
	void aBanGoesOnUnderOtherLimits() {
		PolicyDecider free = server.open(banning(limit(TOKEN_BUCKET, 2, MINUTE)));
		for (int i = 0; i < 5; i++) {
			free.decide("key", 1);
		}
		PolicyDecider pro = free.under(banning(limit(TOKEN_BUCKET, 200, MINUTE)));
		RateLimitDecision banned = pro.decide("key", 1);
		assertThat(banned.banned()).isTrue();
		server.at(299.999999);
		assertThat(pro.decide("key", 1).banned()).isTrue();
		server.at(300);
		assertThat(pro.decide("key", 100).allowed()).isTrue();
	}

	@Test
	void bansThatAreCountedInShadowAreApartFromThoseThatAreEnforced() {
		RateLimitPolicy policy = banning(limit(TOKEN_BUCKET, 2, HOUR));
		PolicyDecider enforced = server.open(policy);
		PolicyDecider shadow = enforced.under(policy.withMode(RateLimitMode.SHADOW));
		for (int i = 0; i < 20; i++) {
			shadow.decide("key", 1);
		}
		assertThat(shadow.decide("key", 1).banned()).isTrue();
		assertThat(enforced.decide("key", 1)).returns(false, RateLimitDecision::allowed)
			.returns(false, RateLimitDecision::banned);
		assertThat(enforced.decide("key", 1).banned()).isFalse();
		assertThat(enforced.decide("key", 1).newBan()).isOne();
		server.at(299.999999);
		assertThat(shadow.decide("key", 1).banned()).isTrue();

		enforced.reset("key");
		assertThat(server.redis().number("DBSIZE")).isZero();
	}

	private static RateLimitPolicy banning(RateLimit limit) {
		return RateLimitPolicy.builder("policy")
			.limit(limit)
			.ban(new RateLimitBan(3, Duration.ofMinutes(10), MINUTE.multipliedBy(5), 2, Duration.ofDays(1)))
			.build();
	}

	@Test
	void versionsOfSeveralPoliciesDecideInOneCall() {
		PolicyDecider free = server.open(policy(limit(TOKEN_BUCKET, 10, HOUR)));
		PolicyDecider pro = under(free, limit(TOKEN_BUCKET, 20, HOUR));
		PolicyDecider log = under(free, limit(SLIDING_WINDOW_LOG, 5, HOUR));
		PolicyDecider other = server.open(RateLimitPolicy.of("other", limit(FIXED_WINDOW_COUNTER, 100, HOUR)));
		List<Long> remaining = new ArrayList<>();
		for (PolicyDecider version : List.of(free, pro, free, log)) {
			int calls = server.calls();
			RateLimitDecision decision = server.decideTogether(List.of(version, other), new long[] { 3, 1 }).get(0);
			assertThat(decision.allowed()).isTrue();
			remaining.add(decision.remaining());
			assertThat(server.calls()).isEqualTo(calls + 1);
		}
		assertThat(remaining).containsExactly(7L, 14L, 1L, 2L);
		assertThat(other.decide("key", 0).remaining()).isEqualTo(96);
	}

	private static RateLimitPolicy policy(RateLimit... limits) {
		return RateLimitPolicy.of("policy", limits);
	}

	private static PolicyDecider open(RateLimit... limits) {
		return server.open(policy(limits));
	}

	private static PolicyDecider under(PolicyDecider states, RateLimit... limits) {
		PolicyDecider changed = states.under(policy(limits));
		assertThat(changed).isNotNull();
		return changed;
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

	static Stream<RateLimitAlgorithm[]> otherAlgorithms() {
		return Stream.of(RateLimitAlgorithm.values())
			.flatMap((before) -> Stream.of(RateLimitAlgorithm.values())
				.filter((after) -> after != before)
				.map((after) -> new RateLimitAlgorithm[] { before, after }));
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
			assertThat(open(CalendarModel.limit(10, "P1M", "UTC", null), second).decide("key", 0).limits())
				.as("%s behind a month", behind)
				.extracting(LimitStatus::remaining)
				.element(1)
				.isEqualTo(10L);
			server.redis().call("FLUSHALL");
		}
	}

	@Test
	void aLoweredLogNeedsNoMoreMemoryThanItsLimit() {
		open(limit(SLIDING_WINDOW_LOG, 100, HOUR)).decide("key", 90);
		PolicyDecider lowered = open(TestPolicies.countingRejected(10, HOUR));
		assertThat(lowered.decide("key", 1).allowed()).isFalse();
		assertThat(server.redis().number("STRLEN", "test:{policy:key}:log1")).isEqualTo(80);
		assertThat(server.redis().number("PTTL", "test:{policy:key}:log1")).isPositive();
		assertThat(lowered.decide("key", 0).remaining()).isZero();
	}

	@Test
	void whateverLimitsFollowOneAnotherDecisionsStaySane() {
		RandomCases.check(150, (random) -> {
			server.redis().call("FLUSHALL");
			for (int i = 0; i < 6; i++) {
				RateLimitPolicy policy = RandomLimits.policy(random, 1000, 52);
				PolicyDecider states = server.open(policy);
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

	/*
	 * Instances that do not agree on a key's plan decide on it in turn. One that only
	 * looks leaves it to the other as it was.
	 */
	@ParameterizedTest
	@EnumSource
	void limitsThatRejectCarryOverAtOnce(RateLimitAlgorithm algorithm) {
		PolicyDecider pro = open(limit(algorithm, 6000, MINUTE));
		PolicyDecider free = under(pro, limit(algorithm, 60, MINUTE));
		pro.decide("key", 500);
		assertThat(free.decide("key", 0).remaining()).isZero();
		assertThat(pro.decide("key", 0).remaining()).isEqualTo(5500);
		assertThat(free.decide("key", 61).allowed()).isFalse();
		assertThat(pro.decide("key", 0).remaining()).isEqualTo(5500);
		assertThat(free.decide("key", 1).allowed()).isFalse();
		// in the same window nothing is lowered, so that nobody gains by a change
		boolean lowered = algorithm != RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
		assertThat(pro.decide("key", 0).remaining()).isEqualTo(lowered ? 5940 : 5500);
	}

	@ParameterizedTest
	@EnumSource
	void theLowerLimitsKeepTheWaitThatTheyHaveNamed(RateLimitAlgorithm algorithm) {
		PolicyDecider pro = open(limit(algorithm, 6000, MINUTE));
		PolicyDecider free = under(pro, limit(algorithm, 60, MINUTE));
		pro.decide("key", 3000);
		long retry = free.decide("key", 1).retryAfterNanos();
		long some = retry / 2000 * 1000;
		server.clock().advanceNanos(some);
		pro.decide("key", 0);
		assertThat(free.decide("key", 1).retryAfterNanos()).isEqualTo(retry - some);
		server.clock().advanceNanos(retry - some);
		assertThat(free.decide("key", 1).allowed()).isTrue();
	}

}
