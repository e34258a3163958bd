package io.github.ratelimit.enforce;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What shadow limits know of a key when the definition of their policy changes.
 */
class ShadowChangeTests {

	private final LocalRateLimitStore store = new LocalRateLimitStore(ManualClock.atMidnight(), 100);

	private final StoreRateLimiterRegistry registry = new StoreRateLimiterRegistry(this.store, List.of());

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void whatWasTakenInShadowIsTakenUnderOtherShadowLimits() {
		StoreRateLimiter limiter = this.registry.register(policy(5));
		limiter.decide("me", 3);
		this.registry.change(policy(7)).make();
		limiter.decide("me", 5);
		assertThat(shadow(limiter, RateLimitOutcome.REJECTED)).isEqualTo(1);
		limiter.decide("me", 4);
		assertThat(shadow(limiter, RateLimitOutcome.ALLOWED)).isEqualTo(2);
	}

	@Test
	void shadowLimitsBeginAnewWhereThePolicyItselfWasInShadow() {
		StoreRateLimiter limiter = this.registry
			.register(RateLimitPolicy.builder("policy").limit(window(100)).mode(RateLimitMode.SHADOW).build());
		limiter.decide("me", 3);
		this.registry.change(policy(7)).make();
		assertThat(limiter.decide("me", 7).remaining()).isEqualTo(90);
		assertThat(shadow(limiter, RateLimitOutcome.REJECTED)).isZero();
	}

	@Test
	void shadowLimitsBeginAnewWhereThereWereNone() {
		StoreRateLimiter limiter = this.registry.register(RateLimitPolicy.of("policy", window(100)));
		limiter.decide("me", 3);
		this.registry.change(policy(7)).make();
		limiter.decide("me", 7);
		assertThat(shadow(limiter, RateLimitOutcome.ALLOWED)).isEqualTo(1);
	}

	private static long shadow(StoreRateLimiter limiter, RateLimitOutcome outcome) {
		return Objects.requireNonNull(limiter.shadow()).count(outcome);
	}

	private static RateLimitPolicy policy(long tried) {
		return RateLimitPolicy.builder("policy").limit(window(100)).shadowLimits(List.of(window(tried))).build();
	}

	private static RateLimit window(long limit) {
		return RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, limit, Duration.ofMinutes(1));
	}

}
