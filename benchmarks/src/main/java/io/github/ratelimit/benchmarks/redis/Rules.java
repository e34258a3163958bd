package io.github.ratelimit.benchmarks.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.redis.RedisRateLimitStore;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.request.ReactivePermits;
import io.github.ratelimit.request.WaitingRoom;

/**
 * This library, as its filters ask it for a request that several rules match, each with a
 * policy of its own: on the servlet stack, and later on WebFlux.
 */
final class Rules implements Contender {

	private final List<RateLimiter> limiters = new ArrayList<>();

	private final RedisRateLimitStore store;

	private final List<String> keys;

	Rules(Task task, int rules) {
		this.store = Ours.store(task, Duration.ZERO);
		RateLimiterRegistry limiter = new StoreRateLimiterRegistry(this.store, List.of());
		for (int i = 0; i < rules; i++) {
			this.limiters.add(limiter
				.register(RateLimitPolicy.of("rule" + i, Ours.limit(RateLimitAlgorithm.TOKEN_BUCKET, task.budget()))));
		}
		this.keys = task.keys();
	}

	@Override
	public boolean decide(int key) {
		Acquisition acquisition = acquisition();
		return isAllowed(acquisition, acquisition.take(requests(key)));
	}

	@Override
	public CompletableFuture<Boolean> decideLater(int key) {
		Acquisition acquisition = acquisition();
		return ReactivePermits.take(acquisition, requests(key))
			.map((allowed) -> isAllowed(acquisition, allowed))
			.toFuture();
	}

	private Acquisition acquisition() {
		return new Acquisition(new WaitingRoom(RateLimitClock.system(), 9));
	}

	private List<PermitRequest> requests(int key) {
		return this.limiters.stream().map((limiter) -> PermitRequest.of(limiter, this.keys.get(key), 1)).toList();
	}

	private boolean isAllowed(Acquisition acquisition, boolean allowed) {
		if (acquisition.entries().get(0).decision().fallback()) {
			throw new IllegalStateException("Redis did not decide: " + this.store.availability().failure());
		}
		return allowed;
	}

	@Override
	public void close() {
		this.store.close();
	}

}
