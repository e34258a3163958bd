package io.github.ratelimit.benchmarks.decision;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.advice.ObservedTraffic;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.PlanSettings;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import org.openjdk.jmh.infra.Blackhole;

/**
 * The whole decision that our filter makes, counted for the metrics.
 */
final class Ours implements Decider {

	private final RateLimiter limiter;

	Ours(RateLimit... limits) {
		this(RateLimitPolicy.of("policy", limits), RateLimitClock.system());
	}

	Ours(RateLimit limit, RateLimitClock clock) {
		this(RateLimitPolicy.of("policy", limit), clock);
	}

	Ours(RateLimitPolicy policy, RateLimitClock clock) {
		this.limiter = limiter(policy, clock);
	}

	Ours(RateLimiter limiter) {
		this.limiter = limiter;
	}

	static RateLimiter observed(RateLimit limit) {
		RateLimitClock clock = RateLimitClock.system();
		return new StoreRateLimiterRegistry(new LocalRateLimitStore(clock, Policies.MAXIMUM_SIZE), List.of(),
				PlanSettings.of(null, clock), 0, (policy) -> new ObservedTraffic(policy, clock))
			.register(RateLimitPolicy.of("policy", limit));
	}

	static RateLimiter limiter(RateLimitPolicy policy, RateLimitClock clock) {
		RateLimiterRegistry registry = new StoreRateLimiterRegistry(
				new LocalRateLimitStore(clock, Policies.MAXIMUM_SIZE), List.of(), new PlanSettings(Policies::planOf,
						Duration.ofMinutes(1), Duration.ofSeconds(10), Policies.MAXIMUM_SIZE, clock));
		return registry.register(policy);
	}

	@Override
	public boolean decide(String key, Blackhole sink) {
		RateLimitDecision decision = this.limiter.decide(key, 1);
		sink.consume(decision);
		return decision.allowed();
	}

	@Override
	public boolean allows(String key) {
		return this.limiter.decide(key, 1).allowed();
	}

}
