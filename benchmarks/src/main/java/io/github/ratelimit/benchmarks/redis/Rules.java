package io.github.ratelimit.benchmarks.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.redis.RedisRateLimitStore;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.request.WaitingRoom;

/**
 * This library, as the filter asks it for a request that several rules match, each with a
 * policy of its own.
 */
final class Rules implements Contender {

	private final RateLimitClock clock = RateLimitClock.system();

	private final List<RateLimiter> limiters = new ArrayList<>();

	private final RedisRateLimitStore store;

	private final List<String> keys;

	Rules(Task task, int rules) {
		this.store = Ours.store(task, Duration.ZERO, this.clock);
		RateLimiterRegistry limiter = new StoreRateLimiterRegistry(this.store, List.of());
		for (int i = 0; i < rules; i++) {
			this.limiters.add(limiter
				.register(RateLimitPolicy.of("rule" + i, Ours.limit(RateLimitAlgorithm.TOKEN_BUCKET, task.budget()))));
		}
		this.keys = task.keys();
	}

	@Override
	public boolean decide(int key) {
		List<PermitRequest> requests = new ArrayList<>(this.limiters.size());
		for (RateLimiter limiter : this.limiters) {
			requests.add(PermitRequest.of(limiter, this.keys.get(key), 1));
		}
		Acquisition ledger = new Acquisition(new WaitingRoom(this.clock, 9));
		boolean allowed = ledger.take(requests);
		if (ledger.entries().get(0).decision().fallback()) {
			throw new IllegalStateException("Redis did not decide: " + this.store.availability().failure());
		}
		return allowed;
	}

	@Override
	public void close() {
		this.store.close();
	}

}
