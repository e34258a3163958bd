package io.github.ratelimit.redis;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;
import org.junit.jupiter.api.Test;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Plans and overrides share the scripts and calls of their policy, and what it knows of
 * its keys where that holds for them, too.
 */
class LimitVersionsCostTests extends OneVersionedPolicy {

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
		assertThat(versions)
			.allSatisfy((version) -> assertThat(JointStates.of(List.of(version, other))).as("script").isNotNull());
		assertThat(((RedisStates) states).joint()).hasSize(1);
	}

}
