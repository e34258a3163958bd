package io.github.ratelimit.policy;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitShadow;
import org.jspecify.annotations.Nullable;

/**
 * What a policy has decided in shadow since the start, under whichever of its versions.
 */
final class ShadowCounts implements RateLimitShadow {

	private final DecisionReports.Counts<RateLimitOutcome> counts = new DecisionReports.Counts<>(
			RateLimitOutcome.values());

	private final LongAdder dropped = new LongAdder();

	private final AtomicReference<@Nullable DistinctKeys> rejectedKeys = new AtomicReference<>();

	private volatile RateLimitPolicy policy;

	ShadowCounts(RateLimitPolicy policy) {
		this.policy = policy;
	}

	void add(RateLimitOutcome outcome) {
		this.counts.add(outcome);
	}

	void addRejected(String key) {
		distinctKeys().add(key);
	}

	private DistinctKeys distinctKeys() {
		DistinctKeys keys = this.rejectedKeys.get();
		if (keys == null) {
			DistinctKeys first = new DistinctKeys();
			keys = this.rejectedKeys.compareAndExchange(null, first);
			return (keys != null) ? keys : first;
		}
		return keys;
	}

	void addDropped() {
		this.dropped.increment();
	}

	/**
	 * Says which numbers are tried now.
	 */
	void follow(RateLimitPolicy policy) {
		this.policy = policy;
	}

	@Override
	public RateLimitPolicy policy() {
		return this.policy;
	}

	@Override
	public long count(RateLimitOutcome outcome) {
		return this.counts.of(outcome);
	}

	@Override
	public long rejectedKeys() {
		DistinctKeys keys = this.rejectedKeys.get();
		return (keys != null) ? keys.estimate() : 0;
	}

	@Override
	public long dropped() {
		return this.dropped.sum();
	}

}
