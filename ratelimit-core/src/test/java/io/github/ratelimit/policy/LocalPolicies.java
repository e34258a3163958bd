package io.github.ratelimit.policy;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.RateLimitPlanResolver;
import io.github.ratelimit.RateLimitShadow;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.AfterEach;

/**
 * Policies of the store of this process, on a clock that a test moves.
 */
abstract class LocalPolicies {

	final ManualClock clock = ManualClock.atMidnight();

	final LocalRateLimitStore store = new LocalRateLimitStore(this.clock, 10_000);

	@AfterEach
	final void closeStore() {
		this.store.close();
	}

	final StoreRateLimiterRegistry registry(RateLimitListener... listeners) {
		return new StoreRateLimiterRegistry(this.store, List.of(listeners), PlanSettings.of(null, this.clock));
	}

	/*
	 * Whose callers have the plans that a resolver says, however long it takes.
	 */
	final StoreRateLimiterRegistry planned(RateLimitPlanResolver resolver, RateLimitListener... listeners) {
		return new StoreRateLimiterRegistry(this.store, List.of(listeners),
				new PlanSettings(resolver, Duration.ofMinutes(1), Duration.ofSeconds(30), 1000, this.clock));
	}

	static RateLimit window(long limit) {
		return RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, limit, Duration.ofMinutes(1));
	}

	static RateLimit bucket(long limit) {
		return RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, limit, Duration.ofMinutes(1));
	}

	static RateLimitShadow shadow(RateLimiter limiter) {
		return Objects.requireNonNull(limiter.shadow());
	}

	static long capacity(StoreRateLimiter limiter, String key) {
		return limiter.effectivePolicy(key).policy().capacity();
	}

}
