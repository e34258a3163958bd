package io.github.ratelimit.policy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitPlan;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.local.LocalRateLimitStore;

/**
 * A client that invents keys, of the longest texts, for five policies with plans.
 */
final class PlanFlood {

	private static final int KEYS = 50_000;

	private PlanFlood() {
	}

	public static void main(String[] arguments) {
		RateLimitClock clock = RateLimitClock.system();
		RateLimit limit = RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 5, Duration.ofMinutes(1));
		StoreRateLimiterRegistry registry = new StoreRateLimiterRegistry(new LocalRateLimitStore(clock, 100), List.of(),
				PlanSettings.of(null, clock));
		List<StoreRateLimiter> limiters = IntStream.range(0, 5)
			.mapToObj((i) -> registry.register(RateLimitPolicy.builder("policy" + i)
				.limit(limit)
				.plan("'pro'")
				.plans(Map.of("pro", RateLimitPlan.of(limit)))
				.build()))
			.toList();
		for (int i = 0; i < KEYS; i++) {
			for (StoreRateLimiter limiter : limiters) {
				limiter.effectivePolicy("\u3042".repeat(250) + i, new Quick());
			}
		}
		System.out.println("asked for " + KEYS * limiters.size());
		System.exit(0);
	}

	private static final class Quick implements PlanQuestion {

		@Override
		public boolean isQuick() {
			return true;
		}

		@Override
		public boolean mayBlock() {
			return false;
		}

		@Override
		public CompletableFuture<String> ask() {
			return CompletableFuture.completedFuture("pro");
		}

		@Override
		public PlanQuestion detached() {
			return this;
		}

	}

}
