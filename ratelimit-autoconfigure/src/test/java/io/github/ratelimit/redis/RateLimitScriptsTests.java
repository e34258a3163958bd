package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.store.PolicyDecider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Scripts that a server can run, of every policy.
 */
class RateLimitScriptsTests extends OneStore {

	private static final Duration WINDOW = Duration.ofHours(1);

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

}
