package io.github.ratelimit.benchmarks.redis;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.enforce.StoreRateLimiterRegistry;
import io.github.ratelimit.redis.RedisRateLimitStore;
import io.github.ratelimit.redis.RedisSettings;
import io.github.ratelimit.resilience.FailureMode;

/**
 * This library, as the filter asks it.
 */
final class Ours implements Contender {

	private final RedisRateLimitStore store;

	private final RateLimiter limiter;

	private final List<String> keys;

	Ours(Task task, Duration rejectionMemory, RateLimitAlgorithm... algorithms) {
		this.store = store(task, rejectionMemory, RateLimitClock.system());
		RateLimit[] limits = Stream.of(algorithms)
			.map((algorithm) -> limit(algorithm, task.budget()))
			.toArray(RateLimit[]::new);
		this.limiter = new StoreRateLimiterRegistry(this.store, List.of())
			.register(RateLimitPolicy.of("benchmark", limits));
		this.keys = task.keys();
	}

	static RedisRateLimitStore store(Task task, Duration rejectionMemory, RateLimitClock clock) {
		RedisSettings settings = new RedisSettings("ratelimit", ServerAccess.TIMEOUT, Duration.ofSeconds(1),
				rejectionMemory, true, 1);
		return new RedisRateLimitStore(task.redis().factory(), settings, (policy) -> FailureMode.REJECT, (policy) -> {
			throw new IllegalStateException("Nothing is decided in this process");
		}, clock);
	}

	/*
	 * A leaky bucket lets as many wait as the others let pass.
	 */
	static RateLimit limit(RateLimitAlgorithm algorithm, Budget budget) {
		return RateLimit.builder(algorithm)
			.limit(budget.permits())
			.window(budget.window())
			.burst((algorithm == RateLimitAlgorithm.LEAKY_BUCKET) ? budget.permits() : null)
			.build();
	}

	/*
	 * The hot key's rejections may be remembered from the turn before.
	 */
	@Override
	public void prepare() {
		this.limiter.reset(this.keys.get(0));
	}

	@Override
	public boolean decide(int key) {
		RateLimitDecision decision = this.limiter.decide(this.keys.get(key), 1);
		if (decision.fallback()) {
			throw new IllegalStateException("Redis did not decide: " + this.store.availability().failure());
		}
		return decision.allowed();
	}

	@Override
	public void close() {
		this.store.close();
	}

}
