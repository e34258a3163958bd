package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import io.github.ratelimit.CalendarModel;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitReceipt;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * State in Redis expires by itself: not before the key has all its permits, and soon
 * after.
 */
class RedisStateLifetimeTests extends OneStore {

	static Stream<RateLimitPolicy> policies() {
		return TestPolicies.of(10, Duration.ofMinutes(3));
	}

	@ParameterizedTest
	@ValueSource(strings = { "P1D", "P1W", "P1M", "P1Y" })
	void stateOfACalendarLivesUntilItsWindowEnds(String period) {
		PolicyDecider states = store
			.open(RateLimitPolicy.of("quota", CalendarModel.limit(10, period, "Europe/Berlin", null)));
		checkLifetimes(states.decide("key", 3));
		RateLimitDecision given = states.decide("key", 1);
		checkLifetimes(given);
		states.refund("key", 1, given);
		checkLifetimes(states.decide("key", 0));
	}

	@Test
	void stateOfAnyPolicyLivesUntilItIsAsGoodAsNew() {
		RandomCases.check(100, (random) -> {
			redis.call("FLUSHALL");
			PolicyDecider states = store.open(RandomLimits.policy(random, 1000, 52));
			for (int i = 0; i < 5; i++) {
				decideOrRefund(states, random);
			}
		});
	}

	@Test
	void stateOfAPolicyWhoseRequestsWaitLivesUntilItIsAsGoodAsNew() {
		RandomCases.check(100, (random) -> {
			redis.call("FLUSHALL");
			PolicyDecider states = store.open(RandomLimits.waitingPolicy(random, 1000, 51));
			for (int i = 0; i < 5; i++) {
				decideOrRefund(states, random);
			}
		});
	}

	private static void decideOrRefund(PolicyDecider states, Random random) {
		long permits = 1 + random.nextInt(3);
		RateLimitDecision decision = states.decide("key", permits);
		if (decision.allowed()) {
			checkLifetimes(decision);
			if (random.nextBoolean()) {
				states.refund("key", permits, decision);
				checkLifetimes(states.decide("key", 0));
			}
		}
	}

	/*
	 * The server's time goes on between the two questions, so that less may be left, but
	 * never more.
	 */
	private static void checkLifetimes(RateLimitDecision decision) {
		List<String> keys = redis.keys();
		long before = redis.micros();
		for (String key : keys) {
			long left = redis.number("PTTL", key);
			long after = redis.micros();
			if (left == -2) {
				assertThat(after * 1000).isGreaterThanOrEqualTo(endNanos(decision));
			}
			else {
				assertThat(left).as("expiry of %s", key).isNotNegative();
				assertThat(after * 1000 + left * 1_000_000).isGreaterThanOrEqualTo(endNanos(decision));
				assertThat(before * 1000 + left * 1_000_000).isLessThanOrEqualTo(endNanos(decision) + 1_000_000_000);
			}
		}
	}

	private static long endNanos(RateLimitDecision decision) {
		return RateLimitReceipt.of(decision).decidedAtNanos(0) + decision.resetAfterNanos();
	}

	@ParameterizedTest
	@MethodSource("policies")
	void whatIsAsGoodAsNewAgainIsNotKept(RateLimitPolicy policy) {
		PolicyDecider states = store.open(policy);
		states.refund("key", 1, states.decide("key", 1));
		RateLimitDecision look = states.decide("key", 0);
		if (look.resetAfterNanos() == 0) {
			assertThat(redis.keys()).isEmpty();
		}
		else {
			assertThat(policy.delays()).isTrue();
		}
	}

	@Test
	void rejectionsAreKeptForAsLongAsTheyCountAndABanUntilItIsForgotten() {
		PolicyDecider states = store.open(RateLimitPolicy.builder("bans")
			.limit(TestPolicies.limit(RateLimitAlgorithm.TOKEN_BUCKET, 1, Duration.ofHours(1)))
			.ban(new RateLimitBan(2, Duration.ofMinutes(10), Duration.ofMinutes(15), 2, Duration.ofDays(1)))
			.build());
		states.decide("key", 1);
		assertThat(redis.keys()).containsExactly("test:{bans:key}");
		states.decide("key", 1);
		checkBanLives(Duration.ofMinutes(10));
		assertThat(states.decide("key", 1).banned()).isTrue();
		checkBanLives(Duration.ofMinutes(15 + 15));
		states.decide("key", 1);
		checkBanLives(Duration.ofMinutes(15 + 15));
		states.reset("key");
		assertThat(redis.keys()).isEmpty();
	}

	private static void checkBanLives(Duration expected) {
		assertThat(redis.number("PTTL", "test:{bans:key}:ban")).isBetween(expected.minusSeconds(30).toMillis(),
				expected.plusSeconds(1).toMillis());
	}

}
