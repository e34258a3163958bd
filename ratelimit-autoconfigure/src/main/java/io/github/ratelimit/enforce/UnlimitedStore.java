package io.github.ratelimit.enforce;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.store.RateLimitStates;
import io.github.ratelimit.store.RateLimitStore;
import org.jspecify.annotations.Nullable;

/**
 * Keeps nothing and lets everything pass, where rate limits are turned off.
 */
final class UnlimitedStore implements RateLimitStore, RateLimitStates {

	/* A policy has a limit, though this one does not hold. */
	private static final RateLimit ANY = RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 1_000_000,
			Duration.ofSeconds(1));

	private final RateLimitClock clock;

	UnlimitedStore(RateLimitClock clock) {
		this.clock = clock;
	}

	@Override
	public String name() {
		return "none";
	}

	/*
	 * Not kept: callers may ask for any number of names.
	 */
	@Nullable StoreRateLimiter limiter(String policy) {
		return RateLimitPolicy.isName(policy) ? new StoreRateLimiter(RateLimitPolicy.of(policy, ANY),
				StoreRateLimiter.alias(0), this, null, List.of(), null, PlanSettings.of(null, this.clock)) : null;
	}

	@Override
	public RateLimitStates open(RateLimitPolicy policy) {
		return this;
	}

	@Override
	public RateLimitDecision decide(String key, long permits) {
		return RateLimitDecisions.allowed(this.clock.nanos(), Long.MAX_VALUE, 0, 0, 0);
	}

	@Override
	public void giveBack(String key, long permits, RateLimitDecision given) {
	}

	@Override
	public void reset(String key) {
	}

}
