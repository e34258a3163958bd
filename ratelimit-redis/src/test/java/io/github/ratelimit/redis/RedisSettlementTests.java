package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.KeyState;
import io.github.ratelimit.algorithm.Tick;
import io.github.ratelimit.store.LateCharge;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.model.Decisions;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests that are settled change as much in Redis as in this process, decision for
 * decision, in whatever order they come and are settled.
 */
class RedisSettlementTests extends AloneAndAmongLooks {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	@ParameterizedTest
	@EnumSource
	void settledRequestsOfOneLimitCountAsInThisProcess(RateLimitAlgorithm algorithm) {
		RandomCases.check(50, (random) -> checkTrace(random, List.of(limit(random, algorithm))));
	}

	@Test
	void settledRequestsOfSeveralLimitsCountAsInThisProcess() {
		RandomCases.check(80, (random) -> {
			List<RateLimit> limits = new ArrayList<>();
			for (int i = 0; i < 2 + random.nextInt(3); i++) {
				limits.add(limit(random, RateLimitAlgorithm.values()[random.nextInt(5)]));
			}
			checkTrace(random, limits);
		});
	}

	private static RateLimit limit(Random random, RateLimitAlgorithm algorithm) {
		while (true) {
			RateLimit limit = random.nextBoolean() ? RandomLimits.any(random, algorithm)
					: RandomLimits.exact(random, algorithm, 1000, 51);
			if (!limit.delays() && isCounted(limit)) {
				return limit;
			}
		}
	}

	private static boolean isCounted(RateLimit limit) {
		try {
			LimitScriptFactory.of(limit, true);
			return true;
		}
		catch (RuntimeException ex) {
			return false;
		}
	}

	private static void checkTrace(Random random, List<RateLimit> limits) {
		RateLimitPolicy.Builder charged = RateLimitPolicy.builder("charged").charge("status >= 400").limits(limits);
		if (random.nextBoolean()) {
			charged.warnAt(50);
		}
		RateLimitPolicy policy = charged.build();
		server.redis().call("FLUSHALL");
		PolicyDecider states = server.open(policy);
		KeyState twin = new KeyState(Algorithm.of(policy, Tick.MICROSECOND), now());
		List<Reservation> open = new ArrayList<>();
		RateLimitDecision last = check(policy, states, twin, 0);
		for (int step = 0; step < 40; step++) {
			RateLimit limit = limits.get(random.nextInt(limits.size()));
			server.clock().advanceNanos(RandomLimits.pause(random, last, limit) / 1000 * 1000);
			if (!open.isEmpty() && random.nextInt(5) < 2) {
				Reservation settled = open.remove(random.nextInt(open.size()));
				long used = used(random, settled.permits(), policy.capacity());
				RateLimitDecision before = twin.decide(now(), 0);
				LateCharge charge = states.settle("key", settled.permits(), used, settled.given());
				twin.settle(now(), settled.permits(), used, settled.twin());
				boolean told = used > settled.permits() && !policy.warnAt().isEmpty();
				assertThat(charge != null).isEqualTo(told);
				if (charge != null) {
					assertThat(Decisions.describe(charge.before())).isEqualTo(Decisions.describe(before));
					assertThat(Decisions.describe(charge.after())).isEqualTo(Decisions.describe(twin.decide(now(), 0)));
				}
				last = check(policy, states, twin, 0);
				continue;
			}
			long permits = RandomLimits.permits(random, last, policy.capacity());
			RateLimitDecision expected = twin.decide(now(), permits);
			last = states.decide("key", permits);
			assertThat(Decisions.describe(last)).as("%d permits of %s", permits, limits)
				.isEqualTo(Decisions.describe(expected));
			if (last.allowed() && permits > 0) {
				open.add(new Reservation(permits, last, expected));
			}
		}
	}

	private static long used(Random random, long permits, long capacity) {
		return switch (random.nextInt(6)) {
			case 0 -> 0;
			case 1 -> RandomLimits.upTo(random, permits);
			case 2 -> permits + RandomLimits.upTo(random, 2 * permits);
			case 3 -> permits + RandomLimits.upTo(random, capacity);
			case 4 -> permits + RandomLimits.upTo(random, 3 * capacity);
			default -> random.nextBoolean() ? permits : Long.MAX_VALUE;
		};
	}

	private static RateLimitDecision check(RateLimitPolicy policy, PolicyDecider states, KeyState twin, long permits) {
		RateLimitDecision decision = states.decide("key", permits);
		assertThat(Decisions.describe(decision)).as("%d permits of %s", permits, policy.limits())
			.isEqualTo(Decisions.describe(twin.decide(now(), permits)));
		return decision;
	}

	private static long now() {
		return server.clock().nanos() / 1000;
	}

	private record Reservation(long permits, RateLimitDecision given, RateLimitDecision twin) {
	}

	private static PolicyDecider open(RateLimit... limits) {
		return server.open(RateLimitPolicy.builder("charged").charge("status >= 400").limits(List.of(limits)).build());
	}

	private static void use(PolicyDecider states, long reserved, long used) {
		RateLimitDecision given = states.decide("key", reserved);
		assertThat(given.allowed()).isTrue();
		states.settle("key", reserved, used, given);
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

	/*
	 * As after any other change that lets it hold less.
	 */
	@Test
	void aPolicyThatIsNoLongerChargedHasNothingLeftAndOwesNothing() {
		for (RateLimitPolicy policy : TestPolicies.of(10, MINUTE).filter((each) -> !each.delays()).toList()) {
			beginADay();
			PolicyDecider charged = open(policy.limits().toArray(RateLimit[]::new));
			use(charged, 1, 15);
			PolicyDecider plain = server.open(RateLimitPolicy.of("charged", policy.limits().toArray(RateLimit[]::new)));
			RateLimitDecision rejected = plain.decide("key", 1);
			assertThat(rejected.allowed()).as(policy.toString()).isFalse();
			plain.decide("other", 10);
			assertThat(rejected.retryAfterNanos()).as(policy.toString())
				.isEqualTo(plain.decide("other", 1).retryAfterNanos());
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
