package io.github.ratelimit.policy;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitPlan;
import io.github.ratelimit.RateLimitPolicy;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Overrides of policies whose callers have plans: a key comes before its plan, and a plan
 * before the policy.
 */
class PlanOverrideTests extends LocalPolicies {

	private final StoreRateLimiterRegistry registry = planned(
			(policy, key) -> key.startsWith("pro") ? "pro" : key.startsWith("all") ? "unlimited" : null);

	private StoreRateLimiter limiter;

	@BeforeEach
	void register() {
		this.limiter = this.registry.register(RateLimitPolicy.builder("api")
			.key("'all'")
			.limit(window(100))
			.plans(Map.of("pro", RateLimitPlan.of(window(1000)), "unlimited", RateLimitPlan.unlimited()))
			.build());
	}

	@Test
	void exactKeyComesBeforeItsPlanAndThePlanBeforeThePolicy() {
		put(RateLimitOverride.of("api").key("pro-k").limits(List.of(window(10))));
		assertThat(remaining("pro-k")).isEqualTo(10);
		assertThat(remaining("pro-other")).isEqualTo(1000);
		assertThat(remaining("another")).isEqualTo(100);
		put(RateLimitOverride.of("api").limits(List.of(window(50))));
		assertThat(remaining("pro-k")).isEqualTo(10);
		assertThat(remaining("pro-other")).isEqualTo(1000);
		assertThat(remaining("another")).isEqualTo(50);
	}

	@Test
	void aPlanIsOverriddenForAllItsKeysWhichKeepWhatTheyHaveTaken() {
		this.limiter.decide("pro-k", 5);
		put(RateLimitOverride.of("api").plan("pro").limits(List.of(window(20))));
		assertThat(remaining("pro-k")).isEqualTo(15);
		assertThat(remaining("pro-other")).isEqualTo(20);
		assertThat(remaining("another")).isEqualTo(100);
		assertThat(this.limiter.limitsFor("pro-k")).containsExactly(window(20));
		this.registry.overrides().remove(new RateLimitOverride.Target("api", "pro", null));
		assertThat(remaining("pro-k")).isEqualTo(995);
	}

	@Test
	void anOverrideOfThePlansModeLeavesItsLimits() {
		put(RateLimitOverride.of("api").plan("pro").mode(RateLimitMode.SHADOW));
		assertThat(this.limiter.version("pro-k").policy().limits()).containsExactly(window(1000));
		assertThat(this.limiter.version("pro-k").policy().mode()).isEqualTo(RateLimitMode.SHADOW);
		assertThat(this.limiter.version("another").policy().mode()).isEqualTo(RateLimitMode.ENFORCE);
	}

	@Test
	void anUnlimitedPlanIsLimitedMeanwhile() {
		assertThat(this.limiter.limitsFor("all-k")).isEmpty();
		put(RateLimitOverride.of("api").plan("unlimited").limits(List.of(window(3))).duration(Duration.ofMinutes(2)));
		assertThat(this.limiter.decide("all-k", 4).allowed()).isFalse();
		this.clock.advance(Duration.ofMinutes(2));
		assertThat(this.limiter.decide("all-k", 4).allowed()).isTrue();
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> put(RateLimitOverride.of("api").plan("unlimited").mode(RateLimitMode.SHADOW)))
			.withMessageContaining("the plan 'unlimited' is unlimited");
	}

	private void put(RateLimitOverride.Builder override) {
		this.registry.overrides().put(override.build());
	}

	private long remaining(String key) {
		return this.limiter.peek(key).remaining();
	}

}
