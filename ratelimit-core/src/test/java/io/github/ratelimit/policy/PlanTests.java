package io.github.ratelimit.policy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitPlan;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.MemoryBudget;
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

	private final Map<String, String> plans = new ConcurrentHashMap<>(Map.of("acme", "pro", "boss", "staff"));

	private final List<String> told = new ArrayList<>();

	private final StoreRateLimiterRegistry registry = planned((policy, key) -> this.plans.get(key), (policy, key,
			decision, outcome) -> this.told.add(key + " " + outcome.id() + " of " + policy.limits().get(0).limit()));

	private static RateLimitPolicy.Builder api() {
		return RateLimitPolicy.builder("api")
			.limit(window(2))
			.plans(Map.of("pro", RateLimitPlan.of(window(60)), "staff", RateLimitPlan.unlimited()));
	}

	private StoreRateLimiter register() {
		return this.registry.register(api().build());
	}

	@Test
	void eachCallerHasTheLimitsOfItsPlanAndAllPlansAreCountedTogether() {
		StoreRateLimiter limiter = register();
		this.plans.put("none", "");
		assertThat(limiter.decide("acme", 1).remaining()).isEqualTo(59);
		assertThat(limiter.decide("tiny", 1).remaining()).isEqualTo(1);
		assertThat(limiter.decide("none", 3).allowed()).isFalse();
		assertThat(this.told).containsExactly("acme allowed of 60", "tiny allowed of 2", "none rejected of 2");
		assertThat(limiter.plan("acme")).isEqualTo("pro");
		assertThat(limiter.plan("tiny")).isNull();
		assertThat(limiter.effectivePolicy("tiny").policy()).isSameAs(limiter.policy());
		assertThat(limiter.count(RateLimitOutcome.ALLOWED)).isEqualTo(2);
		assertThat(limiter.count(RateLimitOutcome.REJECTED)).isOne();
		assertThat(limiter.unknownPlans()).isZero();
	}

	@Test
	void anUnknownPlanIsCountedAndSaidOnceWithoutControlCharacters(CapturedOutput output) {
		StoreRateLimiter limiter = register();
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
		StoreRateLimiter limiter = register();
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
	void whatAnUnlimitedPlanLetPassIsNotRefundedOnceThereAreLimits() {
		StoreRateLimiter limiter = register();
		limiter.decide("tiny", 1);
		this.plans.put("tiny", "staff");
		limiter.forgetPlan("tiny");
		RateLimitDecision given = limiter.decide("tiny", 1);
		this.plans.remove("tiny");
		limiter.forgetPlan("tiny");
		limiter.refund("tiny", 1, given);
		assertThat(limiter.peek("tiny").remaining()).isEqualTo(1);
	}

	@Test
	void whatIsRefundedReturnsToThePlan() {
		StoreRateLimiter limiter = register();
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
		limiter.decide("acme", 60);
		limiter.decide("acme", 1);
		limiter.decide("tiny", 3);
		assertThat(this.told).containsExactly("acme allowed of 60", "acme rejected of 60", "tiny rejected of 2");
		assertThat(shadow(limiter).count(RateLimitOutcome.REJECTED)).isEqualTo(2);
		assertThat(limiter.count(RateLimitOutcome.REJECTED)).isEqualTo(2);
	}

	@Test
	void shadowLimitsAreTriedOnThoseWithoutAPlan() {
		StoreRateLimiter limiter = this.registry.register(api().shadowLimits(List.of(window(1))).build());
		limiter.decide("acme", 2);
		assertThat(shadow(limiter).count(RateLimitOutcome.REJECTED)).isZero();
		limiter.decide("tiny", 2);
		assertThat(shadow(limiter).count(RateLimitOutcome.REJECTED)).isOne();
	}

	@Test
	void aPlanWhoseLimitTheStoreCannotHoldIsNamed() {
		RateLimit log = RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 131_057, Duration.ofMinutes(1));
		RateLimitPolicy policy = api().plans(Map.of("pro plus", RateLimitPlan.of(window(3), log))).build();
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> this.registry.register(policy))
			.satisfies((ex) -> assertThat(ex.attribute()).isEqualTo("plans[pro plus].limits[1].limit"));
		assertThat(this.registry.find("api")).isNull();
	}

	@Test
	void whereNobodyIsAskedThePolicysOwnLimitsHoldOrNone() {
		StoreRateLimiter limiter = registry().register(api().build());
		assertThat(limiter.decide("acme", 1).remaining()).isEqualTo(1);
		assertThat(limiter.plan("acme")).isNull();
		limiter.forgetPlan("acme");
		StoreRateLimiter off = StoreRateLimiterRegistry.unlimited(this.clock).register(api().build());
		assertThat(off.decide("acme", 1).remaining()).isEqualTo(Long.MAX_VALUE);
		assertThat(off.plan("acme")).isNull();
		assertThat(off.count(RateLimitOutcome.ALLOWED)).isOne();
	}

	@Test
	void aRequestLooksAtFewOfManyKeysThatAreInUse() {
		PlanMemory memory = new PlanMemory(500, MemoryBudget.ofHeap());
		List<PlanAnswer> answers = new ArrayList<>();
		for (int i = 0; i < 500; i++) {
			answers.add(memory.add("key" + i));
			memory.find("key" + i);
		}
		memory.add("more");
		assertThat(answers).filteredOn((each) -> !each.isUsed()).hasSizeBetween(63, 64);
		assertThat(IntStream.range(0, 500).filter((i) -> memory.find("key" + i) != null)).hasSize(499);
	}

	private void override(Function<RateLimitOverride.Builder, RateLimitOverride.Builder> numbers) {
		this.registry.overrides().put(numbers.apply(RateLimitOverride.of("api")).build());
	}

	private static void assertCapacities(StoreRateLimiter limiter, long acme, long bigco, long tiny) {
		assertThat(List.of("acme", "bigco", "tiny")).extracting((key) -> capacity(limiter, key))
			.containsExactly(acme, bigco, tiny);
	}

	@Test
	void anOverrideOfAKeyComesBeforeThatOfItsPlanAndThisBeforeThatOfThePolicy() {
		StoreRateLimiter limiter = register();
		this.plans.put("bigco", "pro");
		limiter.decide("bigco", 5);
		override((override) -> override.key("acme").limit(window(10)));
		assertCapacities(limiter, 10, 60, 2);
		override((override) -> override.limit(window(50)));
		assertCapacities(limiter, 10, 60, 50);
		override((override) -> override.plan("pro").limit(window(20)));
		assertCapacities(limiter, 10, 20, 50);
		assertThat(limiter.limitsFor("bigco")).containsExactly(window(20));
		assertThat(limiter.peek("bigco").remaining()).isEqualTo(15);
		this.registry.overrides().remove(new RateLimitOverride.Target("api", "pro", null));
		assertThat(limiter.peek("bigco").remaining()).isEqualTo(55);
	}

	@Test
	void anOverrideOfThePlansModeLeavesItsLimits() {
		StoreRateLimiter limiter = register();
		override((override) -> override.plan("pro").mode(RateLimitMode.SHADOW));
		assertThat(limiter.effectivePolicy("acme").policy().limits()).containsExactly(window(60));
		assertThat(limiter.effectivePolicy("acme").policy().mode()).isEqualTo(RateLimitMode.SHADOW);
		assertThat(limiter.effectivePolicy("tiny").policy().mode()).isEqualTo(RateLimitMode.ENFORCE);
	}

	@Test
	void anUnlimitedPlanIsLimitedByAnOverrideMeanwhile() {
		StoreRateLimiter limiter = register();
		assertThat(limiter.limitsFor("boss")).isEmpty();
		override((override) -> override.plan("staff").limit(window(3)).duration(Duration.ofMinutes(2)));
		assertThat(limiter.decide("boss", 4).allowed()).isFalse();
		this.clock.advance(Duration.ofMinutes(2));
		assertThat(limiter.decide("boss", 4).allowed()).isTrue();
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> override((override) -> override.plan("staff").mode(RateLimitMode.SHADOW)))
			.withMessageContaining("the plan 'staff' is unlimited");
	}

}
