package io.github.ratelimit.benchmarks.decision;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.common.util.concurrent.RateLimiter;
import org.openjdk.jmh.infra.Blackhole;

/**
 * A Guava limiter for each key, in Caffeine.
 */
final class GuavaPerKey implements Decider {

	private static final double ALL = 1e9;

	private static final double NONE = 1e-5;

	private final Cache<String, RateLimiter> limiters = Caffeine.newBuilder()
		.maximumSize(Policies.MAXIMUM_SIZE)
		.build();

	private final double rate;

	GuavaPerKey(Load load) {
		this.rate = (load == Load.REJECTED) ? NONE : ALL;
	}

	@Override
	public boolean decide(String key, Blackhole sink) {
		return allows(key);
	}

	@Override
	public boolean allows(String key) {
		return this.limiters.get(key, (absent) -> RateLimiter.create(this.rate)).tryAcquire();
	}

}
