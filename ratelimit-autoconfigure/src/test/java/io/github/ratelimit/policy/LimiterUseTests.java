package io.github.ratelimit.policy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitPolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whether requests are enforced and may wait, which observers learn before the first of
 * them.
 */
class LimiterUseTests extends LocalPolicies {

	private static final RateLimit WINDOW = window(5);

	private static final RateLimit QUEUE = RateLimit.builder(RateLimitAlgorithm.LEAKY_BUCKET)
		.limit(1)
		.window(Duration.ofSeconds(1))
		.burst(5L)
		.build();

	private final StoreRateLimiterRegistry registry = registry();

	private final List<String> observed = new ArrayList<>();

	private StoreRateLimiter register(RateLimitPolicy policy) {
		StoreRateLimiter limiter = this.registry.register(policy);
		this.registry.observe((each) -> this.observed.add(each.policy().limits().get(0).algorithm().id()
				+ (limiter.isEnforced() ? " enforced" : "") + (limiter.isDelaying() ? " delaying" : "")));
		this.observed.clear();
		return limiter;
	}

	private static RateLimitPolicy.Builder policy(RateLimit limit) {
		return RateLimitPolicy.builder("api").limit(limit);
	}

	@Test
	void aPolicyIsEnforcedAndDelaysAsItIsDefined() {
		StoreRateLimiter window = this.registry.register(RateLimitPolicy.of("window", WINDOW));
		assertThat(window.isEnforced()).isTrue();
		assertThat(window.isDelaying()).isFalse();
		assertThat(this.registry.register(RateLimitPolicy.of("queue", QUEUE)).isDelaying()).isTrue();
		StoreRateLimiter tried = this.registry
			.register(RateLimitPolicy.builder("tried").limit(QUEUE).mode(RateLimitMode.SHADOW).build());
		assertThat(tried.isEnforced()).isFalse();
		assertThat(tried.isDelaying()).isFalse();
	}

	@Test
	void observersLearnOnceThatAnOverrideDelaysAndItIsNotUnlearnt() {
		StoreRateLimiter limiter = register(policy(WINDOW).build());
		RateLimitOverride override = RateLimitOverride.of("api").key("me").limits(List.of(QUEUE)).build();
		this.registry.overrides().put(override);
		assertThat(this.observed).containsExactly("fixed-window-counter enforced delaying");
		this.registry.overrides().remove(override.target());
		this.registry.overrides().put(override);
		assertThat(this.observed).hasSize(1);
		this.registry.overrides().remove(override.target());
		assertThat(limiter.isDelaying()).isTrue();
	}

	@Test
	void observersLearnOnceThatAnOverrideEnforcesAndItIsNotUnlearnt() {
		StoreRateLimiter limiter = register(policy(WINDOW).mode(RateLimitMode.SHADOW).build());
		RateLimitOverride override = RateLimitOverride.of("api").mode(RateLimitMode.ENFORCE).build();
		this.registry.overrides().put(override);
		limiter.decide("me", 6);
		this.registry.overrides().remove(override.target());
		limiter.decide("me", 6);
		this.registry.overrides().put(override);
		assertThat(this.observed).containsExactly("fixed-window-counter enforced");
		assertThat(limiter.enforced(RateLimitOutcome.REJECTED)).isEqualTo(1);
		this.registry.overrides().remove(override.target());
		assertThat(limiter.isEnforced()).isTrue();
	}

	@Test
	void anOverrideThatPutsAPolicyIntoShadowDoesNotUnlearnThatItIsEnforced() {
		StoreRateLimiter limiter = register(policy(WINDOW).build());
		this.registry.overrides().put(RateLimitOverride.of("api").mode(RateLimitMode.SHADOW).build());
		assertThat(limiter.isEnforced()).isTrue();
		assertThat(limiter.count(RateLimitOutcome.ALLOWED)).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void anOverrideThatChangesNumbersAloneIsNothingForObservers(RateLimitMode mode) {
		StoreRateLimiter limiter = register(policy(WINDOW).mode(mode).build());
		this.registry.overrides().put(RateLimitOverride.of("api").limit(window(7)).build());
		assertThat(limiter.isEnforced()).isEqualTo(mode == RateLimitMode.ENFORCE);
		assertThat(this.observed).isEmpty();
	}

	@Test
	void observersLearnWhatAnotherDefinitionDoesBeforeItIsInForce() {
		register(policy(WINDOW).mode(RateLimitMode.SHADOW).build());
		this.registry.change(policy(QUEUE).build()).make();
		assertThat(this.observed).containsExactly("fixed-window-counter enforced delaying",
				"leaky-bucket enforced delaying");
	}

}
