package io.github.ratelimit.policy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPlan;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitShadow;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Which limits a caller has by its plan, and what is told of them.
 */
@ExtendWith(OutputCaptureExtension.class)
class PlanTests extends LocalPolicies {

	private final Map<String, String> plans = new ConcurrentHashMap<>();

	private final List<String> told = new ArrayList<>();

	private final StoreRateLimiterRegistry registry = planned((policy, key) -> this.plans.get(key), (policy, key,
			decision, outcome) -> this.told.add(key + " " + outcome.id() + " of " + policy.limits().get(0).limit()));

	private static RateLimitPolicy.Builder api() {
		return RateLimitPolicy.builder("api")
			.limit(window(2))
			.plans(Map.of("pro", RateLimitPlan.of(window(60)), "staff", RateLimitPlan.unlimited()));
	}

	@Test
	void eachCallerHasTheLimitsOfItsPlan() {
		StoreRateLimiter limiter = this.registry.register(api().build());
		this.plans.put("acme", "pro");
		assertThat(limiter.decide("acme", 1).remaining()).isEqualTo(59);
		assertThat(limiter.decide("tiny", 1).remaining()).isEqualTo(1);
		assertThat(limiter.plan("acme")).isEqualTo("pro");
		assertThat(limiter.plan("tiny")).isNull();
		assertThat(limiter.version("acme").policy().limits()).containsExactly(window(60));
		assertThat(limiter.version("tiny").policy()).isSameAs(limiter.policy());
	}

	@Test
	void listenersAreToldThePlansNumbersAndAllPlansAreCountedTogether() {
		StoreRateLimiter limiter = this.registry.register(api().build());
		this.plans.put("acme", "pro");
		limiter.decide("acme", 1);
		limiter.decide("tiny", 3);
		assertThat(this.told).containsExactly("acme allowed of 60", "tiny rejected of 2");
		assertThat(limiter.count(RateLimitOutcome.ALLOWED)).isOne();
		assertThat(limiter.count(RateLimitOutcome.REJECTED)).isOne();
	}

	@Test
	void anEmptyAnswerIsNoPlanAndNotUnknown() {
		StoreRateLimiter limiter = this.registry.register(api().build());
		this.plans.put("tiny", "");
		assertThat(limiter.decide("tiny", 1).remaining()).isEqualTo(1);
		assertThat(limiter.unknownPlans()).isZero();
	}

	@Test
	void anUnknownPlanIsCountedAndSaidOnceWithoutControlCharacters(CapturedOutput output) {
		StoreRateLimiter limiter = this.registry.register(api().build());
		this.plans.put("one", "gold\n" + "x".repeat(1000));
		this.plans.put("two", "silver");
		assertThat(limiter.decide("one", 1).remaining()).isEqualTo(1);
		assertThat(limiter.decide("two", 1).remaining()).isEqualTo(1);
		assertThat(limiter.unknownPlans()).isEqualTo(2);
		assertThat(output.getAll()).contains("The rate limit policy 'api' has no plan 'gold?xxx")
			.doesNotContain("silver")
			.doesNotContain("x".repeat(257));
	}

	@Test
	void anUnlimitedPlanLetsEverythingPassByHandAndIsNotCounted() {
		StoreRateLimiter limiter = this.registry.register(api().build());
		this.plans.put("boss", "staff");
		RateLimitDecision decision = limiter.decide("boss", 1_000_000);
		assertThat(decision.allowed()).isTrue();
		assertThat(decision.remaining()).isEqualTo(Long.MAX_VALUE);
		assertThat(limiter.peek("boss").remaining()).isEqualTo(Long.MAX_VALUE);
		limiter.settle("boss", 1, 5, decision);
		limiter.refund("boss", 1, decision);
		limiter.reset("boss");
		assertThat(this.told).isEmpty();
		assertThat(limiter.count(RateLimitOutcome.ALLOWED)).isZero();
		assertThat(limiter.keys()).isZero();
	}

	@Test
	void whatIsRefundedReturnsToThePlan() {
		StoreRateLimiter limiter = this.registry.register(api().build());
		this.plans.put("acme", "pro");
		RateLimitDecision given = limiter.decide("acme", 10);
		limiter.refund("acme", 10, given);
		assertThat(limiter.peek("acme").remaining()).isEqualTo(60);
		limiter.decide("acme", 10);
		limiter.reset("acme");
		assertThat(limiter.peek("acme").remaining()).isEqualTo(60);
	}

	@Test
	void aPolicyInShadowTriesThePlansNumbersAndCountsThemTogether() {
		StoreRateLimiter limiter = this.registry.register(api().mode(RateLimitMode.SHADOW).build());
		this.plans.put("acme", "pro");
		limiter.decide("acme", 60);
		limiter.decide("acme", 1);
		limiter.decide("tiny", 3);
		assertThat(this.told).containsExactly("acme allowed of 60", "acme rejected of 60", "tiny rejected of 2");
		RateLimitShadow shadow = limiter.shadow();
		assertThat(shadow).isNotNull();
		assertThat(shadow.count(RateLimitOutcome.REJECTED)).isEqualTo(2);
		assertThat(limiter.count(RateLimitOutcome.REJECTED)).isEqualTo(2);
	}

	@Test
	void shadowLimitsAreTriedOnThoseWithoutAPlan() {
		StoreRateLimiter limiter = this.registry.register(api().shadowLimits(List.of(window(1))).build());
		this.plans.put("acme", "pro");
		limiter.decide("acme", 2);
		RateLimitShadow shadow = limiter.shadow();
		assertThat(shadow).isNotNull();
		assertThat(shadow.count(RateLimitOutcome.REJECTED)).isZero();
		limiter.decide("tiny", 2);
		assertThat(shadow.count(RateLimitOutcome.REJECTED)).isOne();
	}

	@Test
	void aPlanWhoseLimitTheStoreCannotHoldIsNamed() {
		RateLimit log = RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 131_057, Duration.ofMinutes(1));
		RateLimitPolicy policy = RateLimitPolicy.builder("api")
			.limit(window(2))
			.plans(Map.of("pro plus", RateLimitPlan.of(window(3), log)))
			.build();
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> this.registry.register(policy))
			.satisfies((ex) -> assertThat(ex.attribute()).isEqualTo("plans[pro plus].limits[1].limit"));
		assertThat(this.registry.find("api")).isNull();
	}

	@Test
	void withoutAnybodyToAskThePolicysOwnLimitsHold() {
		StoreRateLimiter limiter = registry().register(api().build());
		assertThat(limiter.decide("acme", 1).remaining()).isEqualTo(1);
		assertThat(limiter.plan("acme")).isNull();
		limiter.forgetPlan("acme");
	}

	@Test
	void whereLimitsAreTurnedOffNobodyIsAsked() {
		StoreRateLimiterRegistry off = StoreRateLimiterRegistry.unlimited(this.clock);
		StoreRateLimiter limiter = off.register(api().build());
		assertThat(limiter.decide("acme", 1).remaining()).isEqualTo(Long.MAX_VALUE);
		@Nullable String plan = limiter.plan("acme");
		assertThat(plan).isNull();
		assertThat(limiter.count(RateLimitOutcome.ALLOWED)).isOne();
	}

}
