package io.github.ratelimit.benchmarks.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPlan;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.policy.PlanSettings;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.redis.RedisRateLimitStore;
import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.remote.ResilienceSettings;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitSession;
import io.github.ratelimit.store.RateLimitStore;

/**
 * This library, as the filter asks it.
 */
final class Ours implements Contender {

	static final Function<RateLimitPolicy, PolicyDecider> NOT_HERE = (policy) -> {
		throw new IllegalStateException("Nothing is decided in this process");
	};

	private static final List<String> PLANS = List.of("free", "pro", "enterprise");

	private final RedisRateLimitStore store;

	private final StoreRateLimiter limiter;

	private final boolean charged;

	private final List<String> keys;

	Ours(Task task, Duration rejectionMemory, RateLimitAlgorithm... algorithms) {
		this(task, store(task, rejectionMemory), (store) -> store,
				RateLimitPolicy.builder("benchmark")
					.limits(Stream.of(algorithms).map((algorithm) -> limit(algorithm, task.budget())).toList())
					.build());
	}

	private Ours(Task task, RateLimitPolicy policy) {
		this(task, store(task, Duration.ZERO), (store) -> store, policy);
	}

	private Ours(Task task, RedisRateLimitStore store, Function<RedisRateLimitStore, RateLimitStore> asked,
			RateLimitPolicy policy) {
		this.store = store;
		PlanSettings plans = new PlanSettings((one, key) -> planOf(key), Duration.ofDays(1), ServerAccess.TIMEOUT,
				task.keys().size(), RateLimitClock.system());
		this.limiter = StoreRateLimiter
			.of(new StoreRateLimiterRegistry(asked.apply(store), List.of(), plans).register(policy));
		this.charged = policy.charge() != null;
		this.keys = task.keys();
	}

	/**
	 * A token bucket whose callers never join a call: each decision is a call of its own.
	 */
	static Ours notJoined(Task task) {
		return new Ours(task, store(task, Duration.ZERO), (store) -> NeverJoined.store(store, settings(Duration.ZERO)),
				tokenBucket(task).build());
	}

	/**
	 * A token bucket whose requests turn out to have used nothing.
	 */
	static Ours charged(Task task) {
		return new Ours(task, tokenBucket(task).charge("false").build());
	}

	/**
	 * A token bucket beside which another is tried.
	 */
	static Ours shadowed(Task task) {
		RateLimit tried = limit(RateLimitAlgorithm.TOKEN_BUCKET, task.budget());
		return new Ours(task, tokenBucket(task).shadowLimits(List.of(tried)).build());
	}

	/**
	 * A token bucket that bans whoever is rejected.
	 */
	static Ours banning(Task task) {
		return new Ours(task,
				tokenBucket(task)
					.ban(new RateLimitBan(1, Duration.ofMinutes(10), Duration.ofHours(1), 2, Duration.ofDays(1)))
					.build());
	}

	/**
	 * A token bucket of three plans, with keys in each of them.
	 */
	static Ours planned(Task task) {
		RateLimitPlan plan = RateLimitPlan.of(limit(RateLimitAlgorithm.TOKEN_BUCKET, task.budget()));
		Map<String, RateLimitPlan> plans = PLANS.stream().collect(Collectors.toMap((name) -> name, (name) -> plan));
		return new Ours(task, tokenBucket(task).plans(plans).build());
	}

	private static String planOf(String key) {
		return PLANS.get(Math.floorMod(key.hashCode(), PLANS.size()));
	}

	private static RateLimitPolicy.Builder tokenBucket(Task task) {
		return RateLimitPolicy.builder("benchmark").limit(limit(RateLimitAlgorithm.TOKEN_BUCKET, task.budget()));
	}

	static RedisRateLimitStore store(Task task, Duration rejectionMemory) {
		return new RedisRateLimitStore(task.redis().factory(), "ratelimit", settings(rejectionMemory),
				(policy) -> FailureMode.REJECT, NOT_HERE, null, RateLimitClock.system());
	}

	private static ResilienceSettings settings(Duration rejectionMemory) {
		return new ResilienceSettings(ServerAccess.TIMEOUT, Duration.ofSeconds(1), rejectionMemory, 1);
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
	 * The hot key's rejections may be remembered from the turn before. Which plan a key
	 * has is asked for once, and that is not compared.
	 */
	@Override
	public void prepare() {
		this.keys.forEach(this.limiter::plan);
		this.limiter.reset(this.keys.get(0));
	}

	@Override
	public boolean decide(int key) {
		RateLimitDecision decision = this.limiter.decide(this.keys.get(key), 1);
		boolean allowed = isAllowed(decision);
		if (this.charged && allowed) {
			this.limiter.settle(this.keys.get(key), 1, 0, decision);
		}
		return allowed;
	}

	@Override
	public CompletableFuture<?> decideLater(int key) {
		String text = this.keys.get(key);
		RateLimitSession.Question question = new PermitRequest(this.limiter.effectivePolicy(text), text, 1);
		return Objects.requireNonNull(this.limiter.session()).decideAsync(List.of(question)).toCompletableFuture();
	}

	@Override
	public boolean isAllowed(Object answer) {
		return isAllowed((RateLimitDecision) ((List<?>) answer).get(0));
	}

	private boolean isAllowed(RateLimitDecision decision) {
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
