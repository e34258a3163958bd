package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static io.github.ratelimit.TestPolicies.limit;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Plans and overrides decide on the same keys under other numbers: what was taken stays
 * taken, is settled and refunded, and debts are paid. They share the scripts and calls of
 * their policy.
 */
class LimitVersionsTests extends OneVirtualServer {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final Duration HOUR = Duration.ofHours(1);

	private static double next(PolicyDecider states) {
		return states.decide("key", 0).nextPermitAfterNanos() / 1e9;
	}

	/* P2 */
	@Test
	void aDowngradeInAFixedWindowRejectsUntilItEnds() {
		PolicyDecider pro = open(limit(FIXED_WINDOW_COUNTER, 6000, MINUTE));
		server.at(10);
		pro.decide("key", 500);
		server.at(20);
		PolicyDecider free = under(pro, limit(FIXED_WINDOW_COUNTER, 60, MINUTE));
		RateLimitDecision rejected = free.decide("key", 1);
		assertThat(rejected.allowed()).isFalse();
		assertThat(rejected.retryAfterNanos()).isEqualTo(Duration.ofSeconds(40).toNanos());
		server.at(59.999999);
		assertThat(free.decide("key", 1).allowed()).isFalse();
		server.at(60);
		assertThat(free.decide("key", 0).remaining()).isEqualTo(60);
	}

	/* P3 */
	@Test
	void anUpgradedBucketIsFullAtItsOwnPace() {
		PolicyDecider free = open(limit(TOKEN_BUCKET, 60, MINUTE));
		free.decide("key", 50);
		RateLimitDecision decision = under(free, limit(TOKEN_BUCKET, 6000, MINUTE)).decide("key", 0);
		assertThat(decision.remaining()).isEqualTo(5950);
		assertThat(decision.resetAfterNanos()).isEqualTo(Duration.ofMillis(500).toNanos());
	}

	/* P4 */
	@Test
	void aDowngradedBucketIsEmptyAndOwesNothing() {
		PolicyDecider pro = open(limit(TOKEN_BUCKET, 6000, MINUTE));
		pro.decide("key", 500);
		PolicyDecider free = under(pro, limit(TOKEN_BUCKET, 60, MINUTE));
		for (int permits : new int[] { 0, 1 }) {
			assertThat(free.decide("key", permits).remaining()).isZero();
			assertThat(next(free)).isEqualTo(1);
		}
		server.at(0.999999);
		assertThat(free.decide("key", 1).allowed()).isFalse();
		server.at(1);
		assertThat(free.decide("key", 1).allowed()).isTrue();
	}

	@Test
	void aBucketOfALowerBurstIsEmptyAndOwesNothing() {
		RateLimit.Builder limit = RateLimit.builder(TOKEN_BUCKET).limit(60).window(MINUTE);
		PolicyDecider large = open(limit.burst(600L).build());
		large.decide("key", 500);
		PolicyDecider small = under(large, limit.burst(60L).build());
		assertThat(small.decide("key", 1).allowed()).isFalse();
		assertThat(next(small)).isEqualTo(1);
		server.at(1);
		assertThat(small.decide("key", 1).allowed()).isTrue();
	}

	@Test
	void aSlidingWindowCounterOfAnotherWindowTakesWhatItEstimatesRoundedUp() {
		PolicyDecider minutely = open(limit(SLIDING_WINDOW_COUNTER, 100, MINUTE));
		minutely.decide("key", 31);
		server.at(90);
		minutely.decide("key", 2);
		assertThat(minutely.decide("key", 0).remaining()).isEqualTo(83);
		PolicyDecider hourly = under(minutely, limit(SLIDING_WINDOW_COUNTER, 100, HOUR));
		assertThat(hourly.decide("key", 0).remaining()).isEqualTo(82);
		assertThat(hourly.decide("key", 83).allowed()).isFalse();
		server.at(3599);
		assertThat(hourly.decide("key", 0).remaining()).isEqualTo(82);
	}

	@Test
	void aDowngradedSlidingWindowCounterIsFullAndOwesNothing() {
		PolicyDecider pro = open(limit(SLIDING_WINDOW_COUNTER, 6000, MINUTE));
		pro.decide("key", 3000);
		PolicyDecider free = under(pro, limit(SLIDING_WINDOW_COUNTER, 60, MINUTE));
		assertThat(free.decide("key", 1).allowed()).isFalse();
		server.at(60);
		assertThat(free.decide("key", 1).allowed()).isFalse();
		server.at(61);
		assertThat(free.decide("key", 1).allowed()).isTrue();
	}

	@Test
	void aLogKeepsItsNewestTimeStamps() {
		PolicyDecider large = open(limit(SLIDING_WINDOW_LOG, 10, MINUTE));
		for (int i = 0; i < 8; i++) {
			server.at(i);
			large.decide("key", 1);
		}
		PolicyDecider small = under(large, limit(SLIDING_WINDOW_LOG, 3, MINUTE));
		assertThat(small.decide("key", 1).allowed()).isFalse();
		assertThat(next(small)).isEqualTo(58);
		server.at(64.999999);
		assertThat(small.decide("key", 1).allowed()).isFalse();
		server.at(65);
		assertThat(small.decide("key", 1).allowed()).isTrue();
		assertThat(next(small)).isEqualTo(1);
		PolicyDecider again = under(small, limit(SLIDING_WINDOW_LOG, 10, MINUTE));
		assertThat(again.decide("key", 0).remaining()).isEqualTo(7);
		assertThat(again.decide("key", 7).allowed()).isTrue();
		assertThat(again.decide("key", 1).allowed()).isFalse();
	}

	@Test
	void aLogOfALongerWindowBringsNothingBackThatHasExpired() {
		RateLimit longer = limit(TOKEN_BUCKET, 100, HOUR);
		PolicyDecider minutely = open(longer, limit(SLIDING_WINDOW_LOG, 5, MINUTE));
		minutely.decide("key", 3);
		server.at(50);
		minutely.decide("key", 2);
		server.at(70);
		PolicyDecider hourly = under(minutely, longer, limit(SLIDING_WINDOW_LOG, 5, HOUR));
		assertThat(hourly.decide("key", 0).limits()).extracting(LimitStatus::remaining).element(1).isEqualTo(3L);
		assertThat(hourly.decide("key", 4).allowed()).isFalse();
		server.at(3649);
		assertThat(hourly.decide("key", 0).limits()).extracting(LimitStatus::remaining).element(1).isEqualTo(3L);
	}

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

	private static RateLimitPolicy banning(RateLimit limit) {
		return RateLimitPolicy.builder("policy")
			.limit(limit)
			.ban(RateLimitBan.builder().after(3).duration(MINUTE.multipliedBy(5)).build())
			.build();
	}

	/*
	 * As much as under the limits that decided last, in the same instance or in one that
	 * was deployed with others. A key that has nothing left may have taken more than one
	 * can see.
	 */
	@ParameterizedTest
	@EnumSource(RateLimitAlgorithm.class)
	void afterAChangeAsMuchIsTakenUpToTheCapacity(RateLimitAlgorithm algorithm) {
		RandomCases.check(60, (random) -> {
			server.redis().call("FLUSHALL");
			RateLimit limit = random(random, algorithm);
			PolicyDecider states = open(limit);
			for (int i = 0; i < 8; i++) {
				for (int j = random.nextInt(4); j >= 0; j--) {
					server.clock().advanceNanos(random.nextLong(limit.window().toNanos() / 1000 / 2) * 1000);
					long remaining = states.decide("key", 0).remaining();
					states.decide("key", 1 + random.nextLong(limit.capacity()));
					assertThat(states.decide("key", 0).remaining()).isBetween(0L, remaining);
				}
				long taken = limit.capacity() - states.decide("key", 0).remaining();
				RateLimit other = random(random, algorithm);
				PolicyDecider changed = random.nextBoolean() ? under(states, other) : open(other);
				long expected = Math.max(0, other.capacity() - taken);
				long least = (taken < limit.capacity()) ? least(limit, other, expected) : 0;
				assertThat(changed.decide("key", 0).remaining()).as("%s after %s", other, limit)
					.isBetween(least, most(limit, other, expected));
				limit = other;
				states = changed;
			}
		});
	}

	/*
	 * A share of a window is rounded up when it becomes a count.
	 */
	private static long least(RateLimit limit, RateLimit other, long expected) {
		boolean rounded = other.algorithm() == SLIDING_WINDOW_COUNTER && !limit.window().equals(other.window());
		return rounded ? Math.max(0, expected - 1) : expected;
	}

	/*
	 * The stamps of a log are moments.
	 */
	private static long most(RateLimit limit, RateLimit other, long expected) {
		return (other.algorithm() == SLIDING_WINDOW_LOG && other.window().compareTo(limit.window()) < 0)
				? other.capacity() : expected;
	}

	private static RateLimit random(Random random, RateLimitAlgorithm algorithm) {
		return limit(algorithm, 1 + random.nextInt(random.nextBoolean() ? 10 : 1000),
				Duration.ofSeconds(1 + random.nextInt(5)));
	}

	@Test
	void versionsOfSeveralPoliciesDecideInOneCall() {
		RedisStates free = server.open(policy(limit(TOKEN_BUCKET, 10, HOUR)));
		RedisStates pro = free.under(policy(limit(TOKEN_BUCKET, 20, HOUR)));
		RedisStates log = free.under(policy(limit(SLIDING_WINDOW_LOG, 5, HOUR)));
		RedisStates other = server.open(RateLimitPolicy.of("other", limit(FIXED_WINDOW_COUNTER, 100, HOUR)));
		List<Long> remaining = new ArrayList<>();
		for (RedisStates version : List.of(free, pro, free, log)) {
			int calls = server.calls();
			RateLimitDecision decision = server.decideTogether(List.of(version, other), new long[] { 3, 1 }).get(0);
			assertThat(decision.allowed()).isTrue();
			remaining.add(decision.remaining());
			assertThat(server.calls()).isEqualTo(calls + 1);
		}
		assertThat(remaining).containsExactly(7L, 14L, 1L, 2L);
		assertThat(other.decide("key", 0).remaining()).isEqualTo(96);
	}

	@Test
	void anUpgradeIsNotRejectedFromMemory() {
		try (TestStore store = TestStore.of(server.redis(), TestStore.PATIENT)) {
			PolicyDecider free = store.open(policy(limit(FIXED_WINDOW_COUNTER, 2, HOUR.multipliedBy(24))));
			free.decide("key", 2);
			free.decide("key", 1);
			int calls = store.calls();
			assertThat(free.decide("key", 1).allowed()).isFalse();
			assertThat(store.calls()).isEqualTo(calls);
			PolicyDecider pro = free.under(policy(limit(FIXED_WINDOW_COUNTER, 10, HOUR.multipliedBy(24))));
			assertThat(pro.decide("key", 1).remaining()).isEqualTo(7);
			PolicyDecider shadow = free
				.under(policy(limit(FIXED_WINDOW_COUNTER, 10, HOUR.multipliedBy(24))).withMode(RateLimitMode.SHADOW));
			assertThat(shadow.decideAsync("key", 1).toCompletableFuture().join().remaining()).isEqualTo(6);
		}
	}

	@Test
	void tenThousandVersionsShareTheirScripts() {
		PolicyDecider states = open(limit(TOKEN_BUCKET, 10, MINUTE));
		Deque<RedisStates> versions = new ArrayDeque<>();
		Stream.iterate(1L, (limit) -> limit + 1)
			.limit(10_000)
			.forEach((limit) -> versions.add((RedisStates) under(states, limit(TOKEN_BUCKET, limit, MINUTE))));
		RedisStates other = server.open(RateLimitPolicy.of("other", limit(FIXED_WINDOW_COUNTER, 5, MINUTE)));
		assertThat(versions).map((version) -> script(version, other)).containsOnly(script((RedisStates) states, other));
	}

	private static ScriptCall.Script script(RedisStates... states) {
		List<RedisStates> all = List.of(states);
		return RedisStates.deciding(VirtualServer.questions(all, new long[states.length])).script();
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
