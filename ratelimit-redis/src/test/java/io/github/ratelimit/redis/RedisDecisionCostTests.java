package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RoomyLimits;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.Threads;
import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.model.RandomCases;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.LEAKY_BUCKET;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a decision costs a Redis server: one call, and a write only when something is
 * taken.
 */
class RedisDecisionCostTests extends OneStore {

	private static final Duration WINDOW = Duration.ofHours(1);

	private static final String LOG = "test:{log:key}:log1";

	static Stream<RateLimitPolicy> policies() {
		return TestPolicies.of(10, WINDOW);
	}

	@ParameterizedTest
	@MethodSource("policies")
	void whateverIsDecidedIsOneCallAndWhatIsRememberedIsNone(RateLimitPolicy policy) {
		try (TestStore remembering = TestStore.of(redis, TestStore.PATIENT)) {
			PolicyDecider states = remembering.open(policy);
			states.decide("other", 1);
			assertThat(calls(true, () -> states.decide("key", 10))).isEqualTo(1);
			assertThat(calls(true, () -> states.decide("key", 0))).isEqualTo(1);
			assertThat(calls(false, () -> states.decide("key", 1))).isEqualTo(1);
			assertThat(calls(false, () -> states.decide("key", 1))).isZero();
			assertThat(calls(true, () -> states.decide("key", 0))).isZero();
		}
	}

	private static long calls(boolean allowed, Supplier<RateLimitDecision> decision) {
		redis.call("CONFIG", "RESETSTAT");
		assertThat(decision.get().allowed()).isEqualTo(allowed);
		return calls("evalsha") + calls("eval");
	}

	private static long calls(String command) {
		String statistics = redis.info("commandstats", "cmdstat_" + command);
		return statistics.isEmpty() ? 0
				: Long.parseLong(statistics.substring("calls=".length(), statistics.indexOf(',')));
	}

	@ParameterizedTest
	@MethodSource("policies")
	void requestsForARejectedKeyAreOneCallForEachRenewal(RateLimitPolicy policy) {
		Duration memory = TestStore.PATIENT.rejectionMemory();
		try (TestStore remembering = TestStore.of(redis, TestStore.PATIENT)) {
			PolicyDecider states = remembering.open(policy);
			states.decide("key", 10);
			redis.call("CONFIG", "RESETSTAT");
			for (int i = 0; i < 10_000; i++) {
				assertThat(states.decide("key", 1).allowed()).isFalse();
				remembering.clock().advance(memory.dividedBy(1000));
			}
			assertThat(calls("evalsha") + calls("eval")).isEqualTo(12);
		}
	}

	@ParameterizedTest
	@EnumSource(ClientKind.class)
	void whoFindsAServerWithoutTheScriptsTakesOnce(ClientKind client) {
		int callers = 50;
		try (TestStore store = new TestStore(client.standalone(redis.port()), TestStore.PATIENT, FailureMode.LOCAL)) {
			List<PolicyDecider> states = IntStream.range(0, 20)
				.mapToObj((number) -> store.open(RateLimitPolicy.of("policy" + number,
						TestPolicies.limit(TOKEN_BUCKET, 10_000, Duration.ofDays(20)))))
				.toList();
			for (int round = 1; round <= 5; round++) {
				redis.call("SCRIPT", "FLUSH");
				redis.call("CONFIG", "RESETSTAT");
				Threads.run(callers, (number) -> {
					assertThat(states).noneMatch((each) -> each.decide("key", 1).fallback());
					return null;
				});
				long left = 10_000 - callers * round;
				assertThat(states).allMatch((each) -> each.decide("key", 0).remaining() == left);
				assertThat(redis.info("commandstats", "cmdstat_script")).isEmpty();
				assertThat(calls("eval")).isBetween(1L, (long) callers);
				assertThat(redis.info("memory", "number_of_cached_scripts")).isIn("1", "2");
			}
		}
	}

	/*
	 * When the expiry of a log must be renewed, that is one more for each. A state whose
	 * expiry need not be renewed is written over.
	 */
	@ParameterizedTest
	@MethodSource("policies")
	void aPermitTakesThreeCommandsAndOneForEachLogAndAsMuchForOneOrMany(RateLimitPolicy policy) {
		PolicyDecider states = store.open(policy);
		states.decide("key", 1);
		List<String> expected = new ArrayList<>(List.of("evalsha=1", "time=1", "get=1", "set=1"));
		long logs = redis.keys().size() - 1;
		if (logs > 0) {
			expected.add("append=" + logs);
		}
		long[] permits = new long[100];
		Arrays.fill(permits, 1);
		store.decideAll(policy, "other", 0);
		for (Runnable decision : List.<Runnable>of(() -> states.decide("key", 1),
				() -> store.decideAll(policy, "key", permits))) {
			assertThat(commandsOf(decision)).filteredOn((command) -> !command.equals("pexpire=" + logs))
				.map((command) -> command.equals("setrange=1") ? "set=1" : command)
				.containsExactlyInAnyOrderElementsOf(expected);
		}
	}

	@ParameterizedTest
	@MethodSource("policies")
	void aRejectionAndALookTakeTwoCommandsAndWriteNothing(RateLimitPolicy policy) {
		PolicyDecider states = store.open(policy);
		states.decide("key", 0);
		for (long taken : new long[] { 0, 10 }) {
			states.decide("key", taken);
			for (long permits : new long[] { 0, 11 - taken }) {
				assertThat(commandsOf(() -> states.decide("key", permits))).containsExactlyInAnyOrder("evalsha=1",
						"time=1", "get=1");
			}
		}
	}

	@Test
	void aBanTakesOneCommandMoreAndARequestOfABannedKeyWritesNothing() {
		PolicyDecider states = store.open(RateLimitPolicy.builder("bans")
			.limit(TestPolicies.limit(TOKEN_BUCKET, 1, WINDOW))
			.ban(new RateLimitBan(2))
			.build());
		states.decide("other", 1);
		assertThat(commandsOf(() -> states.decide("key", 1))).containsExactlyInAnyOrder("evalsha=1", "time=1", "get=2",
				"set=1");
		for (int i = 0; i < 2; i++) {
			assertThat(commandsOf(() -> states.decide("key", 1))).containsExactlyInAnyOrder("evalsha=1", "time=1",
					"get=2", "set=1");
		}
		for (long permits = 0; permits < 3; permits++) {
			long asked = permits;
			assertThat(commandsOf(() -> states.decide("key", asked))).containsExactlyInAnyOrder("evalsha=1", "time=1",
					"get=2");
		}
	}

	/*
	 * How often the server ran which command, but for the questions themselves.
	 */
	private static List<String> commandsOf(Runnable decision) {
		redis.call("CONFIG", "RESETSTAT");
		decision.run();
		return redis.call("INFO", "commandstats")
			.lines()
			.filter((line) -> line.startsWith("cmdstat_") && !line.startsWith("cmdstat_config"))
			.map((line) -> line.substring("cmdstat_".length(), line.indexOf(',')).replace(":calls", ""))
			.toList();
	}

	@Test
	void aLogHoldsAtMostAsManyTimeStampsAsItsLimit() {
		RandomCases.check(20, (random) -> {
			redis.call("FLUSHALL");
			int limit = 1 + random.nextInt(40);
			PolicyDecider states = store.open(RateLimitPolicy.of("log",
					TestPolicies.countingRejected(limit, Duration.ofMillis(1 + random.nextInt(20)))));
			for (int i = 0; i < 40; i++) {
				states.decide("key", 1 + random.nextInt(limit));
				assertThat(redis.number("STRLEN", LOG)).isBetween(0L, 8L * limit);
			}
		});
	}

	@Test
	void aLogWhoseTimeStampsTheServerEvictedCountsWhatCameSince() {
		PolicyDecider states = store
			.open(RateLimitPolicy.of("log", TestPolicies.limit(SLIDING_WINDOW_LOG, 10, WINDOW)));
		RateLimitDecision first = states.decide("key", 3);
		RateLimitDecision second = states.decide("key", 3);
		redis.call("DEL", LOG);
		RateLimitDecision third = states.decide("key", 2);
		assertThat(third.fallback()).isFalse();
		assertThat(third.remaining()).isBetween(2L, 8L);
		assertThat(redis.number("PTTL", LOG)).isPositive();
		assertThat(states.decide("key", 9).retryAfterNanos()).isBetween(0L, WINDOW.toNanos());
		redis.call("DEL", LOG);
		for (RateLimitDecision given : List.of(second, first)) {
			states.refund("key", 3, given);
			assertThat(redis.number("PTTL", LOG)).isNotEqualTo(-1);
		}
		assertThat(states.decide("key", 1).allowed()).isTrue();
		assertThat(redis.number("PTTL", LOG)).isPositive();
		assertThat(store.availability().outages()).isZero();
	}

	@Test
	void theStateOfAKeyIsSmallWhateverItCounts() {
		for (RateLimitAlgorithm algorithm : List.of(TOKEN_BUCKET, LEAKY_BUCKET, FIXED_WINDOW_COUNTER,
				SLIDING_WINDOW_COUNTER)) {
			PolicyDecider states = store
				.open(RateLimitPolicy.of(algorithm.id(), RoomyLimits.of(algorithm, 1_000_000, WINDOW)));
			states.decide("key", 999_999);
			states.decide("key", 1);
			assertThat(redis.number("STRLEN", "test:{" + algorithm.id() + ":key}")).as(algorithm.id())
				.isBetween(1L, 64L);
		}
	}

}
