package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.Threads;
import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.store.PolicyDecider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Scripts that a server can run, of every policy. It learns them from the calls that need
 * them, once each.
 */
class RateLimitScriptsTests extends OneStore {

	private static final Duration WINDOW = Duration.ofHours(1);

	private static final int CALLERS = 50;

	private static RateLimitPolicy many(RateLimitAlgorithm algorithm, int count) {
		RateLimit limit = TestPolicies.limit(algorithm, 10, WINDOW);
		return RateLimitPolicy.builder(algorithm.id()).limits(Collections.nCopies(count, limit)).build();
	}

	@ParameterizedTest
	@EnumSource(RateLimitAlgorithm.class)
	void aPolicyMayHaveSixteenLimits(RateLimitAlgorithm algorithm) {
		PolicyDecider states = store.open(many(algorithm, 16));
		RateLimitDecision decision = states.decide("key", 3);
		assertThat(decision.fallback()).isFalse();
		assertThat(decision.limits()).hasSize(16).allMatch((limit) -> limit.remaining() == 7);
		states.refund("key", 3, decision);
		assertThat(states.decide("key", 0).remaining()).isEqualTo(10);
	}

	static Stream<RateLimitPolicy> policies() {
		return TestPolicies.of(10, WINDOW);
	}

	@ParameterizedTest
	@MethodSource("policies")
	void nothingOfTheTemplatesIsLeft(RateLimitPolicy policy) {
		String charge = policy.delays() ? null : "status >= 400";
		for (RateLimitPolicy each : List.of(policy,
				RateLimitPolicy.builder("charged").limits(policy.limits()).charge(charge).build(), banning(policy))) {
			RateLimitScripts scripts = RateLimitScripts.of(PolicyScript.of(each));
			for (ScriptCall.Script script : List.of(scripts.decide(), scripts.refund(), scripts.settle())) {
				assertThat(script.text()).doesNotContain("--").doesNotContainPattern("_[np]\\b|\\b[A-Z]+_[0-9]");
			}
		}
	}

	private static RateLimitPolicy banning(RateLimitPolicy policy) {
		return RateLimitPolicy.builder("banning").limits(policy.limits()).ban(RateLimitBan.builder().build()).build();
	}

	@ParameterizedTest
	@MethodSource("policies")
	void whatComesAfterTheDecisionIsTheSameWithABan(RateLimitPolicy policy) {
		RateLimitScripts with = RateLimitScripts.of(PolicyScript.of(banning(policy)));
		RateLimitScripts without = RateLimitScripts.of(PolicyScript.of(policy));
		assertThat(with.refund()).isEqualTo(without.refund());
		assertThat(with.settle()).isEqualTo(without.settle());
		assertThat(with.decide()).isNotEqualTo(without.decide());
	}

	@Test
	void policiesWhoseLimitsAreOfTheSameKindsShareTheirScripts() {
		for (RateLimitAlgorithm algorithm : RateLimitAlgorithm.values()) {
			assertThat(scripts(algorithm, 10, WINDOW)).isSameAs(scripts(algorithm, 20, WINDOW.dividedBy(6)));
		}
	}

	private static RateLimitScripts scripts(RateLimitAlgorithm algorithm, long capacity, Duration window) {
		return RateLimitScripts
			.of(PolicyScript.of(RateLimitPolicy.of("policy", TestPolicies.limit(algorithm, capacity, window))));
	}

	@ParameterizedTest
	@EnumSource(ClientKind.class)
	void whoFindsAServerWithoutTheScriptsTakesOnce(ClientKind client) {
		try (TestStore store = new TestStore(client.standalone(redis.port()), TestStore.PATIENT, FailureMode.LOCAL)) {
			PolicyDecider[] states = IntStream.range(0, 20)
				.mapToObj((number) -> store.open(RateLimitPolicy.of("policy" + number,
						TestPolicies.limit(RateLimitAlgorithm.TOKEN_BUCKET, 10_000, Duration.ofDays(20)))))
				.toArray(PolicyDecider[]::new);
			for (int round = 1; round <= 5; round++) {
				redis.call("SCRIPT", "FLUSH");
				redis.call("CONFIG", "RESETSTAT");
				Threads.run(CALLERS, (number) -> {
					for (PolicyDecider each : states) {
						assertThat(each.decide("key", 1).fallback()).isFalse();
					}
					return null;
				});
				for (PolicyDecider each : states) {
					assertThat(each.decide("key", 0).remaining()).isEqualTo(10_000 - CALLERS * round);
				}
				assertThat(redis.info("commandstats", "cmdstat_script")).isEmpty();
				assertThat(evals()).isBetween(1L, (long) CALLERS);
				assertThat(redis.info("memory", "number_of_cached_scripts")).isEqualTo("1");
			}
			RateLimitDecision given = states[0].decide("key", 1);
			states[0].refund("key", 1, given);
			assertThat(redis.info("memory", "number_of_cached_scripts")).isEqualTo("2");
		}
	}

	private static long evals() {
		String statistics = redis.info("commandstats", "cmdstat_eval");
		return Long.parseLong(statistics.substring("calls=".length(), statistics.indexOf(',')));
	}

}
