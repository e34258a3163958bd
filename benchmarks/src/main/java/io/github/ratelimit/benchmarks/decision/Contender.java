package io.github.ratelimit.benchmarks.decision;

import java.util.function.Function;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.benchmarks.measure.Table;

/**
 * A limiter that is measured.
 */
public enum Contender {

	/** The least that a decision can be. */
	FLOOR(Table.FLOOR, (load) -> new Floor()),

	/** Ours. */
	TOKEN_BUCKET("token bucket", (load) -> new Ours(Policies.tokenBucket(load))),

	/** Ours. */
	LEAKY_BUCKET("leaky bucket", (load) -> new Ours(Policies.leakyBucket(load))),

	/** Ours. */
	FIXED_WINDOW_COUNTER("fixed window counter", (load) -> new Ours(Policies.fixedWindowCounter(load))),

	/** Ours. */
	SLIDING_WINDOW_LOG("sliding window log", (load) -> new Ours(Policies.slidingWindowLog(load), Policies.clock(load))),

	/** Ours. */
	SLIDING_WINDOW_COUNTER("sliding window counter", (load) -> new Ours(Policies.slidingWindowCounter(load))),

	/** Ours: a policy of a token bucket and a fixed window counter. */
	TWO_LIMITS("two limits", (load) -> new Ours(Policies.tokenBucket(load), Policies.fixedWindowCounter(load))),

	/** Ours: a decision, and the settlement of a request that has used nothing. */
	CHARGED("token bucket, charged nothing", (load) -> new Charged(Policies.charged(load))),

	/** Ours: a policy that tries a second limit in shadow. */
	SHADOWED("token bucket, another in shadow", (load) -> new Ours(Policies.shadowed(load), RateLimitClock.system())),

	/** Ours: a policy that bans, with a key that is banned where it has nothing left. */
	BANNING("token bucket, banning", (load) -> new Ours(Policies.banning(load), RateLimitClock.system())),

	/** Ours: a policy of three plans, with keys in each of them. */
	PLANNED("token bucket, in three plans", (load) -> new Ours(Policies.planned(load), RateLimitClock.system())),

	/** Ours: a policy that observes its callers, to be advised. */
	OBSERVED("token bucket, observed", (load) -> new Ours(Ours.observed(Policies.tokenBucket(load)))),

	/** A bucket for each key, asked for its remaining tokens. */
	BUCKET4J("bucket4j", BucketPerKey::new),

	/** Its own way of keeping buckets in Caffeine. */
	BUCKET4J_PROXY("bucket4j, its Caffeine proxy", BucketProxy::new),

	/** A limiter for each key, asked for yes or no: it can tell no more at once. */
	RESILIENCE4J("resilience4j", Resilience4jPerKey::new),

	/** A limiter for each key, asked for yes or no: it can tell no more. */
	GUAVA("Guava", GuavaPerKey::new);

	private final String label;

	private final Function<Load, Decider> factory;

	Contender(String label, Function<Load, Decider> factory) {
		this.label = label;
		this.factory = factory;
	}

	String label() {
		return this.label;
	}

	Decider create(Load load) {
		return this.factory.apply(load);
	}

}
