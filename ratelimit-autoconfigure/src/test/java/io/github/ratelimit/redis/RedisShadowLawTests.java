package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitShadow;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.remote.ResilientStore;
import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * On any requests, shadow in Redis decides as enforcement in Redis would have, although
 * nobody waits for its answers.
 */
class RedisShadowLawTests extends OneVirtualServer {

	private static final int TRACES = 6;

	private static final int REQUESTS = 60;

	@ParameterizedTest
	@EnumSource
	void shadowRejectsWhatEnforcementWouldReject(RateLimitAlgorithm algorithm) {
		LongAdder rejected = new LongAdder();
		RandomCases.check(TRACES, (random) -> rejected.add(check(random, algorithm)));
		assertThat(rejected.sum()).isPositive();
	}

	private long check(Random random, RateLimitAlgorithm algorithm) {
		server.redis().call("FLUSHALL");
		RateLimiterRegistry registry = new StoreRateLimiterRegistry(store(), List.of());
		RateLimitBan ban = random.nextBoolean()
				? RateLimitBan.builder().after(2).within(Duration.ofSeconds(2)).duration(Duration.ofSeconds(1)).build()
				: null;
		RateLimitPolicy policy = RateLimitPolicy.builder("enforced")
			.limit(TestPolicies.limit(algorithm, 1 + random.nextInt(5), Duration.ofSeconds(1)))
			.limit(TestPolicies.limit(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 10, Duration.ofMinutes(1)))
			.ban(ban)
			.build();
		RateLimiter enforced = registry.register(policy);
		RateLimiter shadow = registry.register(
				RateLimitPolicy.builder("shadow").limits(policy.limits()).ban(ban).mode(RateLimitMode.SHADOW).build());
		RateLimiter both = registry.register(RateLimitPolicy.builder("both")
			.limit(TestPolicies.limit(RateLimitAlgorithm.TOKEN_BUCKET, 2, Duration.ofSeconds(1)))
			.ban(ban)
			.shadowLimits(policy.limits())
			.build());
		for (int i = 0; i < REQUESTS; i++) {
			String key = random.nextBoolean() ? "one" : "other";
			long permits = 1 + random.nextInt(2);
			RateLimitDecision last = enforced.decide(key, permits);
			shadow.decide(key, permits);
			both.decide(key, permits);
			server.clock().advanceNanos(RandomLimits.pause(random, last, policy.limits().get(0)) / 1000 * 1000);
		}
		TestRedis.await(() -> sum(shadow.shadow()) == REQUESTS && sum(both.shadow()) == REQUESTS);
		assertThat(counts(shadow.shadow())).isEqualTo(counts(enforced));
		assertThat(counts(both.shadow())).isEqualTo(counts(enforced));
		server.clock().advance(Duration.ofDays(1));
		return enforced.count(RateLimitOutcome.REJECTED);
	}

	private RateLimitStore store() {
		RedisRemoteStore remote = new RedisRemoteStore(server.time(), "test", TestStore.PATIENT.timeout());
		return new ResilientStore(remote, TestStore.PATIENT.resilience(), (policy) -> FailureMode.REJECT, (policy) -> {
			throw new IllegalStateException("Nothing decides in place of Redis");
		}, null, server.clock());
	}

	private static long sum(RateLimitShadow shadow) {
		return counts(shadow).stream().mapToLong(Long::longValue).sum();
	}

	private static List<Long> counts(RateLimiter limiter) {
		return Arrays.stream(RateLimitOutcome.values()).map(limiter::count).toList();
	}

	private static List<Long> counts(RateLimitShadow shadow) {
		return Arrays.stream(RateLimitOutcome.values()).map(shadow::count).toList();
	}

}
