package io.github.ratelimit.benchmarks.decision;

import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.enforce.StoreRateLimiterRegistry;
import io.github.ratelimit.local.LocalRateLimitStore;
import org.openjdk.jmh.infra.Blackhole;

/**
 * The whole decision that our filter makes, counted for the metrics.
 */
final class Ours implements Decider {

	private final RateLimiter limiter;

	Ours(RateLimit... limits) {
		this(limits, RateLimitClock.system());
	}

	Ours(RateLimit limit, RateLimitClock clock) {
		this(new RateLimit[] { limit }, clock);
	}

	private Ours(RateLimit[] limits, RateLimitClock clock) {
		RateLimiterRegistry limiter = new StoreRateLimiterRegistry(
				new LocalRateLimitStore(clock, Policies.MAXIMUM_SIZE), List.of());
		this.limiter = limiter.register(RateLimitPolicy.of("policy", limits));
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
