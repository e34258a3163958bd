package io.github.ratelimit.benchmarks.decision;

import java.time.Duration;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import org.openjdk.jmh.infra.Blackhole;

/**
 * A resilience4j limiter for each key, in Caffeine.
 */
final class Resilience4jPerKey implements Decider {

	private final Cache<String, RateLimiter> limiters = Caffeine.newBuilder()
		.maximumSize(Policies.MAXIMUM_SIZE)
		.build();

	private final RateLimiterConfig configuration;

	Resilience4jPerKey(Load load) {
		this.configuration = RateLimiterConfig.custom()
			.limitForPeriod((load == Load.REJECTED) ? (int) Policies.FEW : Integer.MAX_VALUE)
			.limitRefreshPeriod((load == Load.REJECTED) ? Policies.LONG : Duration.ofSeconds(1))
			.timeoutDuration(Duration.ZERO)
			.build();
	}

	@Override
	public boolean decide(String key, Blackhole sink) {
		return allows(key);
	}

	@Override
	public boolean allows(String key) {
		return this.limiters.get(key, (absent) -> RateLimiter.of(absent, this.configuration)).acquirePermission();
	}

}
