package io.github.ratelimit.local;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RoomyLimits;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.Threads;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.ManualClock;
import io.github.ratelimit.test.model.Decisions;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Bans in the local store: many threads at once, and what they keep of keys.
 */
class BanTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private final ManualClock clock = ManualClock.atMidnight();

	@AutoClose
	private final LocalRateLimitStore store = new LocalRateLimitStore(this.clock, 1000);

	private static RateLimitPolicy policy(int after, RateLimit... limits) {
		return RateLimitPolicy.builder("policy").limits(List.of(limits)).ban(new RateLimitBan(after)).build();
	}

	@RepeatedTest(5)
	void ofManyThreadsOneBeginsTheBan() {
		PolicyDecider states = this.store.open(policy(50, RoomyLimits.of(TOKEN_BUCKET, 10, Duration.ofHours(1))));
		List<RateLimitDecision> decisions = Threads
			.run(16, (number) -> IntStream.range(0, 20).mapToObj((i) -> states.decide("key", 1)).toList())
			.stream()
			.flatMap(List::stream)
			.toList();
		assertThat(decisions).filteredOn(RateLimitDecision::allowed).hasSize(10);
		assertThat(decisions).filteredOn((each) -> !each.allowed() && !each.banned()).hasSize(49);
		assertThat(decisions).filteredOn((each) -> each.newBan() > 0).hasSize(1);
		assertThat(decisions).filteredOn(RateLimitDecision::banned)
			.hasSize(320 - 10 - 49)
			.allSatisfy((each) -> assertThat(each.retryAfterNanos()).isEqualTo(Duration.ofMinutes(5).toNanos()));
	}

	@ParameterizedTest
	@EnumSource
	void requestsOfABannedKeyTouchNoLimit(RateLimitAlgorithm algorithm) {
		RateLimit limit = RoomyLimits.of(algorithm, 3, MINUTE);
		RateLimit counted = TestPolicies.countingRejected(3, MINUTE);
		PolicyDecider states = this.store.open(policy(1, limit, counted));
		states.decide("key", 3);
		assertThat(states.decide("key", 1).newBan()).isEqualTo(1);
		this.clock.advance(Duration.ofSeconds(200));
		for (int i = 0; i < 10; i++) {
			assertThat(states.decide("key", 1).banned()).isTrue();
			assertThat(states.decideWithoutDelay("key", 1).banned()).isTrue();
		}
		assertThat(states.decide("key", 0)).returns(true, RateLimitDecision::banned)
			.returns(true, RateLimitDecision::allowed);
		this.clock.advance(Duration.ofSeconds(100));
		assertThat(states.decide("key", 0).remaining()).isEqualTo(3);
	}

	@Test
	void aSettlementOfABannedKeyIsMade() {
		PolicyDecider states = this.store.open(policy(1, RateLimit.of(SLIDING_WINDOW_LOG, 3, Duration.ofDays(1))));
		RateLimitDecision given = states.decide("key", 3);
		assertThat(states.decide("key", 1).newBan()).isOne();
		states.settle("key", 3, 1, given);
		assertThat(states.decide("key", 1).banned()).isTrue();
		this.clock.advance(Duration.ofMinutes(5));
		assertThat(states.decide("key", 0).remaining()).isEqualTo(2);
	}

	@Test
	void aBanWeighsAsMuchAsItsEntryAndTheRejectionsThatItCounts() {
		PolicyDecider states = this.store.open(policy(7, RateLimit.of(FIXED_WINDOW_COUNTER, 1, MINUTE)));
		states.decide("key", 1);
		long before = this.store.memory().used();
		states.decide("key", 1);
		assertThat(this.store.memory().used() - before).isEqualTo(192 + 2 * 3 + 96 + 7 * 8);
		states.reset("key");
		assertThat(this.store.memory().used()).isZero();
	}

	@Test
	void keysAreForgottenExactlyWhenThatChangesNoAnswer() {
		RandomCases.check(500, (random) -> {
			ManualClock clock = ManualClock.atMidnight();
			RateLimitPolicy policy = RandomLimits.banningPolicy(random, 1, 61);
			try (LocalRateLimitStore sweeping = new LocalRateLimitStore(clock, 100);
					LocalRateLimitStore keeping = new LocalRateLimitStore(clock, 100)) {
				PolicyDecider swept = sweeping.open(policy);
				PolicyDecider kept = keeping.open(policy);
				RateLimitDecision last = kept.decide("key", 0);
				for (int i = 0; i < 60; i++) {
					long permits = RandomLimits.permits(random, last, policy.capacity());
					last = kept.decide("key", permits);
					assertThat(Decisions.describe(swept.decide("key", permits))).as("%s", policy)
						.isEqualTo(Decisions.describe(last));
					if (random.nextInt(3) == 0) {
						clock.advanceNanos(RandomLimits.banPause(random, last, policy, policy.limits().get(0)));
					}
					sweeping.forgetIdle();
				}
				clock.advance(Duration.ofDays(3000));
				sweeping.forgetIdle();
				assertThat(swept.keys()).isZero();
				assertThat(sweeping.memory().used()).isZero();
				assertThat(swept.evictions()).isZero();
			}
		});
	}

	@Test
	void aStoreHoldsNoMoreBansThanKeys() {
		try (LocalRateLimitStore small = new LocalRateLimitStore(this.clock, 10)) {
			PolicyDecider states = small.open(policy(1, RateLimit.of(FIXED_WINDOW_COUNTER, 1, MINUTE)));
			for (int i = 0; i < 100; i++) {
				states.decide("key" + i, 1);
				assertThat(states.decide("key" + i, 1).banned()).isTrue();
				assertThat(states.keys()).isLessThanOrEqualTo(10);
			}
			assertThat(states.evictions()).as("keys and bans").isEqualTo(90 + 90);
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 3, 1000 })
	void aFloodOfKeysStaysWithinTheMemory(int after) {
		long maximum = 1 << 20;
		try (LocalRateLimitStore small = new LocalRateLimitStore(this.clock, 100_000, maximum)) {
			PolicyDecider states = small.open(policy(after, RateLimit.of(FIXED_WINDOW_COUNTER, 1, MINUTE)));
			for (int i = 0; i < 20_000; i++) {
				states.decide("key" + i, 1);
				states.decide("key" + i, 1);
				assertThat(small.memory().used()).isLessThanOrEqualTo(maximum);
			}
			assertThat(states.evictions()).isPositive();
			assertThat(small.forgetAll()).isTrue();
			assertThat(small.memory().used()).isZero();
		}
	}

}
