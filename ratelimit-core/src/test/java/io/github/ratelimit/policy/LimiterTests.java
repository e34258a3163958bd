package io.github.ratelimit.policy;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import com.sun.management.ThreadMXBean;
import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.LimitStanding;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitSettlement;
import io.github.ratelimit.RateLimitStanding;
import io.github.ratelimit.store.ForeignDecision;
import io.github.ratelimit.store.RateLimitReceipt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What a limiter and its registry tell, whose requests pass where limits are turned off.
 */
class LimiterTests extends LocalPolicies {

	private static final RateLimit QUEUE = RateLimit.builder(RateLimitAlgorithm.LEAKY_BUCKET)
		.limit(1)
		.window(Duration.ofSeconds(1))
		.burst(5L)
		.build();

	private final List<String> told = new ArrayList<>();

	private final StoreRateLimiterRegistry registry = registry(
			(policy, key, decision, outcome) -> this.told.add(outcome.id()));

	private StoreRateLimiter register(RateLimit... limits) {
		return this.registry.register(RateLimitPolicy.of("api", limits));
	}

	@Test
	void whatIsRefundedIsReportedUnlessItIsNothing() {
		StoreRateLimiter limiter = register(window(5));
		RateLimitDecision given = limiter.decideWithoutDelay("key", 2);
		limiter.refund("key", 0, given);
		assertThat(this.told).containsExactly("allowed");
		limiter.refund("key", 2, given);
		assertThat(this.told).containsExactly("allowed", "returned");
		assertThat(limiter.count(RateLimitOutcome.RETURNED)).isOne();
		assertThatIllegalArgumentException().isThrownBy(() -> limiter.refund("key", -1, given));
	}

	@Test
	void aRejectionGivesNothingBack() {
		StoreRateLimiter limiter = register(window(5));
		limiter.decide("key", 5);
		RateLimitDecision rejection = limiter.decide("key", 2);
		limiter.refund("key", 2, rejection);
		limiter.settle("key", 2, 0, rejection);
		assertThat(limiter.peek("key").remaining()).isZero();
		assertThat(this.told).containsExactly("allowed", "rejected");
	}

	@Test
	void aSettlementOfADecisionThatNoStoreHasMadeFailsAndNobodyHearsOfIt() {
		StoreRateLimiter limiter = register(window(5));
		limiter.settle("key", 2, 1, ForeignDecision.of(limiter.decide("key", 2)));
		assertThat(limiter.settlements(RateLimitSettlement.FAILED)).isOne();
	}

	@Test
	void knowsWhereItsPolicyIsAppliedAndWithWhichExpressions() {
		StoreRateLimiter limiter = register(window(5));
		assertThat(limiter.alias()).isEqualTo("p1");
		assertThat(limiter.appliedTo()).isEmpty();
		assertThat(limiter.hasOwnKeys()).isFalse();
		limiter.add(new AppliedLocation("a rule", "method", null, null, null));
		limiter.add(new AppliedLocation("a rule"));
		limiter.add(new AppliedLocation("a method"));
		assertThat(limiter.appliedTo()).containsExactly("a method", "a rule");
		assertThat(limiter.hasOwnKeys()).isTrue();
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> limiter.locations().clear());
	}

	@ParameterizedTest
	@EnumSource
	void aLookTellsWhatTheLastDecisionLeftAndChangesNothing(RateLimitAlgorithm algorithm) {
		StoreRateLimiter limiter = register(RateLimit.of(algorithm, 3, Duration.ofMinutes(1)));
		RateLimitDecision decision = limiter.decide("key", 1);
		for (int i = 0; i < 10; i++) {
			RateLimitStanding standing = limiter.peek("key");
			assertThat(standing.remaining()).isEqualTo(decision.remaining());
			assertThat(standing.resetAfter()).isEqualTo(decision.resetAfter()).isPositive();
			assertThat(standing.nextPermitAfter()).isEqualTo(decision.nextPermitAfter()).isPositive();
			assertThat(standing.fallback()).isFalse();
		}
		assertThat(this.told).hasSize(1);
	}

	@Test
	void aLookTellsOfEachLimitAndOfAllTogether() {
		StoreRateLimiter limiter = register(
				RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 1, Duration.ofSeconds(1)), window(5));
		limiter.decide("key", 1);
		RateLimitStanding standing = this.registry.peek("api", "key");
		assertThat(standing.remaining()).isZero();
		assertThat(standing.limits()).extracting(LimitStanding::remaining).containsExactly(0L, 4L);
		assertThat(standing.limits()).extracting(LimitStanding::resetAfter)
			.containsExactly(Duration.ofSeconds(1), Duration.ofMinutes(1));
	}

	@ParameterizedTest
	@ValueSource(longs = { 0, -1, Long.MIN_VALUE })
	void aRequestForNoPermitsIsAMistakeThatChangesNothing(long permits) {
		StoreRateLimiter limiter = register(window(5));
		assertThatIllegalArgumentException().isThrownBy(() -> limiter.decide("key", permits))
			.withMessageStartingWith("A request cannot cost " + permits + " permits; use 1 or more, or peek");
		assertThatIllegalArgumentException().isThrownBy(() -> limiter.decideWithoutDelay("key", permits));
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.decide("api", "key", permits));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> StoreRateLimiterRegistry.unlimited(this.clock).decide("any", "key", permits));
		assertThat(limiter.keys()).isZero();
	}

	/*
	 * The registry says so before the first request of the kind, and says nothing of
	 * numbers alone.
	 */
	private StoreRateLimiter observed(RateLimitMode mode) {
		StoreRateLimiter limiter = this.registry
			.register(RateLimitPolicy.builder("api").limit(window(5)).mode(mode).build());
		this.registry.observe((each) -> this.told.add(each.policy().limits().get(0).algorithm().id()
				+ (limiter.hasEnforced() ? " enforced" : "") + (limiter.isDelaying() ? " delaying" : "")));
		this.registry.overrides().put(RateLimitOverride.of("api").limit(window(7)).build());
		return limiter;
	}

	@Test
	void observersLearnOnceThatAnOverrideDelaysAndItIsNotUnlearnt() {
		StoreRateLimiter limiter = observed(RateLimitMode.ENFORCE);
		RateLimitOverride override = RateLimitOverride.of("api").key("me").limits(List.of(QUEUE)).build();
		this.registry.overrides().put(override);
		this.registry.overrides().remove(override.target());
		this.registry.overrides().put(override);
		this.registry.overrides().remove(override.target());
		assertThat(this.told).containsExactly("fixed-window-counter enforced",
				"fixed-window-counter enforced delaying");
		assertThat(limiter.isDelaying()).isTrue();
	}

	@Test
	void observersLearnOnceThatAnOverrideEnforcesAndItIsNotUnlearnt() {
		StoreRateLimiter limiter = observed(RateLimitMode.SHADOW);
		RateLimitOverride override = RateLimitOverride.of("api").mode(RateLimitMode.ENFORCE).build();
		for (int i = 0; i < 2; i++) {
			this.registry.overrides().put(override);
			limiter.decide("me", 6);
			this.registry.overrides().remove(override.target());
			limiter.decide("me", 6);
		}
		assertThat(this.told).containsExactly("fixed-window-counter", "fixed-window-counter enforced", "rejected",
				"rejected", "rejected", "rejected");
		assertThat(limiter.countEnforced(RateLimitOutcome.REJECTED)).isEqualTo(2);
		assertThat(limiter.hasEnforced()).isTrue();
	}

	@Test
	void observersLearnWhatAnotherDefinitionDoesBeforeItIsInForce() {
		observed(RateLimitMode.SHADOW);
		this.registry.change(RateLimitPolicy.of("api", QUEUE)).make();
		assertThat(this.told).containsExactly("fixed-window-counter", "fixed-window-counter enforced delaying",
				"leaky-bucket enforced delaying");
	}

	@Test
	void whereLimitsAreTurnedOffEveryRequestPassesAtOnceAndNothingIsUsedUp() {
		StoreRateLimiterRegistry off = StoreRateLimiterRegistry.unlimited(this.clock);
		for (long permits : List.of(1L, Long.MAX_VALUE, 1L)) {
			RateLimitDecision decision = off.decide("anything", "anyone", permits);
			assertThat(decision.allowed()).isTrue();
			assertThat(decision.remaining()).isEqualTo(Long.MAX_VALUE);
			assertThat(decision.delay()).isZero();
			assertThat(decision.resetAfter()).isZero();
			assertThat(decision.fallback()).isFalse();
			assertThat(RateLimitReceipt.of(decision).decidedAtNanos(0)).isEqualTo(this.clock.nanos());
		}
		assertThat(off.peek("anything", "anyone").remaining()).isEqualTo(Long.MAX_VALUE);
	}

	@Test
	void aDecisionWhereLimitsAreTurnedOffAllocatesLittleWhateverThePolicyIsCalled() {
		StoreRateLimiterRegistry off = StoreRateLimiterRegistry.unlimited(this.clock);
		List<String> names = IntStream.range(0, 1000).mapToObj((i) -> "policy" + i).toList();
		ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		names.forEach((name) -> off.decide(name, "anyone"));
		long before = threads.getCurrentThreadAllocatedBytes();
		names.forEach((name) -> off.decide(name, "anyone"));
		long bytes = (threads.getCurrentThreadAllocatedBytes() - before) / names.size();
		assertThat(bytes).isLessThan(8 * 1024);
	}

	@Test
	void whereLimitsAreTurnedOffEveryPolicyIsKnownAndThoseThatCodeAddsAreKept() {
		StoreRateLimiterRegistry off = StoreRateLimiterRegistry.unlimited(this.clock);
		assertThat(off.policy("one").policy().name()).isEqualTo("one");
		assertThat(off.policies()).isEmpty();
		assertThat(off.find("größe")).isNull();
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> off.decide("größe", "anyone"));
		RateLimitPolicy policy = RateLimitPolicy.of("once", window(1));
		StoreRateLimiter added = off.register(policy);
		assertThat(off.policy("once")).isSameAs(added);
		assertThat(off.policies()).containsExactly(added);
		assertThat(added.decide("anyone", 3).allowed()).isTrue();
		assertThatIllegalStateException().isThrownBy(() -> off.register(policy));
	}

}
