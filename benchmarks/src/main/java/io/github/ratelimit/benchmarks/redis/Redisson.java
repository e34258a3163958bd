package io.github.ratelimit.benchmarks.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Redisson's rate limiter, each key's object made once.
 */
final class Redisson implements Contender {

	private final RedissonClient client;

	private final List<RRateLimiter> limiters;

	private final Budget budget;

	Redisson(Task task) {
		RedisServer server = task.redis().server();
		Config config = new Config();
		config.useSingleServer().setAddress("redis://" + server.host() + ':' + server.port());
		this.client = org.redisson.Redisson.create(config);
		this.limiters = task.keys().stream().map(this.client::getRateLimiter).toList();
		this.budget = task.budget();
	}

	@Override
	public void prepare() {
		CompletableFuture
			.allOf(this.limiters.stream()
				.map((limiter) -> limiter.trySetRateAsync(RateType.OVERALL, this.budget.permits(), this.budget.window())
					.toCompletableFuture())
				.toArray(CompletableFuture[]::new))
			.join();
	}

	@Override
	public boolean decide(int key) {
		return this.limiters.get(key).tryAcquire();
	}

	@Override
	public CompletableFuture<Boolean> decideLater(int key) {
		return this.limiters.get(key).tryAcquireAsync().toCompletableFuture();
	}

	@Override
	public void close() {
		this.client.shutdown();
	}

}
