package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.store.PolicyDecider;
import org.junit.jupiter.api.Test;

import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What settlements cost and leave in Redis.
 */
class RedisSettlementTests extends OneVirtualServer {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static PolicyDecider open(RateLimit... limits) {
		return server.open(RateLimitPolicy.builder("charged").charge("status >= 400").limits(List.of(limits)).build());
	}

	private static void use(PolicyDecider states, long reserved, long used) {
		RateLimitDecision given = states.decide("key", reserved);
		assertThat(given.allowed()).isTrue();
		states.settle("key", reserved, used, given);
	}

	@Test
	void whatIsUsedBeyondAllBoundsIsADebtOfOneMoreCapacity() {
		for (RateLimitPolicy policy : TestPolicies.of(10, MINUTE).filter((each) -> !each.delays()).toList()) {
			beginADay();
			PolicyDecider states = open(policy.limits().toArray(RateLimit[]::new));
			use(states, 1, Long.MAX_VALUE);
			RateLimitDecision owing = states.decide("key", 1);
			assertThat(owing.remaining()).as(policy.toString()).isZero();
			assertThat(owing.retryAfter()).as(policy.toString()).isLessThanOrEqualTo(MINUTE.multipliedBy(2));
		}
	}

	@Test
	void aSettlementIsOneCallAndOfWhatWasReservedNone() {
		PolicyDecider states = open(RateLimit.of(SLIDING_WINDOW_LOG, 5, MINUTE),
				RateLimit.of(TOKEN_BUCKET, 100, Duration.ofHours(1)));
		RateLimitDecision given = states.decide("key", 2);
		int before = server.calls();
		states.settle("key", 2, 2, given);
		assertThat(states.settleAsync("key", 2, 2, given)).isCompleted();
		assertThat(server.calls()).isEqualTo(before);
		states.settle("key", 2, 4, given);
		states.settle("key", 2, 1, given);
		assertThat(server.calls()).isEqualTo(before + 2);
		assertThat(states.settleAsync("key", 2, 3, given)).succeedsWithin(Duration.ofMinutes(1));
		assertThat(server.calls()).isEqualTo(before + 3);
		assertThat(states.decide("key", 0).limits()).extracting(LimitStatus::remaining).containsExactly(1L, 96L);
	}

	@Test
	void aPolicyThatIsNoLongerChargedPaysItsDebt() {
		for (RateLimitPolicy policy : TestPolicies.of(10, MINUTE).filter((each) -> !each.delays()).toList()) {
			beginADay();
			PolicyDecider charged = open(policy.limits().toArray(RateLimit[]::new));
			use(charged, 1, 15);
			RateLimitDecision owing = charged.decide("key", 1);
			PolicyDecider plain = server.open(RateLimitPolicy.of("charged", policy.limits().toArray(RateLimit[]::new)));
			RateLimitDecision rejected = plain.decide("key", 1);
			assertThat(rejected.allowed()).as(policy.toString()).isFalse();
			assertThat(rejected.retryAfterNanos()).as(policy.toString()).isEqualTo(owing.retryAfterNanos());
			server.clock().advanceNanos(rejected.retryAfterNanos());
			assertThat(plain.decide("key", 1).allowed()).as(policy.toString()).isTrue();
			assertThat(charged.decide("key", 0).remaining()).isBetween(0L, 9L);
		}
	}

	@Test
	void whatIsNoStateIsOverwritten() {
		for (RateLimitPolicy policy : TestPolicies.of(10, MINUTE).filter((each) -> !each.delays()).toList()) {
			PolicyDecider states = open(policy.limits().toArray(RateLimit[]::new));
			for (String key : List.of("test:{charged:key}", "test:{charged:key}:log1")) {
				server.redis().call("FLUSHALL");
				RateLimitDecision given = states.decide("key", 1);
				server.redis().call("DEL", key);
				server.redis().call("RPUSH", key, "another's");
				states.settle("key", 1, 30, given);
				assertThat(states.decide("key", 0).remaining()).as(policy.toString()).isZero();
			}
		}
	}

}
