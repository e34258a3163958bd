package io.github.ratelimit.policy;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitPlan;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Overrides of policies whose callers have plans: a key comes before its plan, and a plan
 * before the policy.
 */
class PlanOverrideTests {

	private final ManualClock clock = ManualClock.atMidnight();

	private final LocalRateLimitStore store = new LocalRateLimitStore(this.clock, 1000);

	private final StoreRateLimiterRegistry registry = new StoreRateLimiterRegistry(this.store, List.of(),
			new PlanSettings(
					(policy, key) -> key.startsWith("pro") ? "pro" : key.startsWith("all") ? "unlimited" : null,
					Duration.ofMinutes(1), Duration.ofSeconds(30), 100, this.clock));

	private StoreRateLimiter limiter;

	@BeforeEach
	void register() {
		this.limiter = this.registry.register(RateLimitPolicy.builder("api")
			.key("'all'")
			.limit(fixed(100))
			.plans(Map.of("pro", RateLimitPlan.of(fixed(1000)), "unlimited", RateLimitPlan.unlimited()))
			.build());
	}

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void exactKeyComesBeforeItsPlanAndThePlanBeforeThePolicy() {
		put(RateLimitOverride.of("api").key("pro-k").limits(List.of(fixed(10))));
		assertThat(remaining("pro-k")).isEqualTo(10);
		assertThat(remaining("pro-other")).isEqualTo(1000);
		assertThat(remaining("another")).isEqualTo(100);
		put(RateLimitOverride.of("api").limits(List.of(fixed(50))));
		assertThat(remaining("pro-k")).isEqualTo(10);
		assertThat(remaining("pro-other")).isEqualTo(1000);
		assertThat(remaining("another")).isEqualTo(50);
	}

	@Test
	void aPlanIsOverriddenForAllItsKeysWhichKeepWhatTheyHaveTaken() {
		this.limiter.decide("pro-k", 5);
		put(RateLimitOverride.of("api").plan("pro").limits(List.of(fixed(20))));
		assertThat(remaining("pro-k")).isEqualTo(15);
		assertThat(remaining("pro-other")).isEqualTo(20);
		assertThat(remaining("another")).isEqualTo(100);
		assertThat(this.limiter.limitsFor("pro-k")).containsExactly(fixed(20));
		this.registry.overrides().remove(new RateLimitOverride.Target("api", "pro", null));
		assertThat(remaining("pro-k")).isEqualTo(995);
	}

	@Test
	void anOverrideOfThePlansModeLeavesItsLimits() {
		put(RateLimitOverride.of("api").plan("pro").mode(RateLimitMode.SHADOW));
		assertThat(this.limiter.version("pro-k").policy().limits()).containsExactly(fixed(1000));
		assertThat(this.limiter.version("pro-k").policy().mode()).isEqualTo(RateLimitMode.SHADOW);
		assertThat(this.limiter.version("another").policy().mode()).isEqualTo(RateLimitMode.ENFORCE);
	}

	@Test
	void anUnlimitedPlanIsLimitedMeanwhile() {
		assertThat(this.limiter.limitsFor("all-k")).isEmpty();
		put(RateLimitOverride.of("api").plan("unlimited").limits(List.of(fixed(3))).duration(Duration.ofMinutes(2)));
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

	private static RateLimit fixed(long limit) {
		return RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, limit, Duration.ofMinutes(1));
	}

}
