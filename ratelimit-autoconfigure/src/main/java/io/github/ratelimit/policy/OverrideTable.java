package io.github.ratelimit.policy;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitOverride.Target;
import io.github.ratelimit.RateLimitOverrides.InForce;
import org.jspecify.annotations.Nullable;

/**
 * The overrides of all policies. Guarded by its own lock; decisions only see what it
 * publishes to their policy.
 */
final class OverrideTable {

	private final Map<Target, InForce> entries = new LinkedHashMap<>();

	private final Map<String, StoreRateLimiter> limiters;

	final StoreTime time;

	/**
	 * Creates an empty table.
	 * @param limiters the policies by name
	 * @param clock the time of ends, unless a store tells its own
	 */
	OverrideTable(Map<String, StoreRateLimiter> limiters, RateLimitClock clock) {
		this.limiters = limiters;
		this.time = new StoreTime(clock);
	}

	/**
	 * The override of a target, unless it has ended.
	 */
	@Nullable InForce get(Target target) {
		InForce inForce = this.entries.get(target);
		return (inForce != null && !hasEnded(inForce)) ? inForce : null;
	}

	/**
	 * All overrides that have not ended.
	 */
	List<InForce> list() {
		return this.entries.values().stream().filter((inForce) -> !hasEnded(inForce)).toList();
	}

	boolean hasEnded(InForce inForce) {
		Instant until = inForce.until();
		return until != null && !until.isAfter(this.time.moment());
	}

	/**
	 * Puts an override in force for its target, or none.
	 */
	void put(Target target, @Nullable InForce inForce) {
		this.entries.compute(target, (known, before) -> inForce);
		publish(target.policy());
	}

	/**
	 * Puts these in force, and no others.
	 */
	void replaceAll(List<InForce> all) {
		Set<String> policies = new LinkedHashSet<>();
		this.entries.keySet().forEach((target) -> policies.add(target.policy()));
		this.entries.clear();
		for (InForce inForce : all) {
			Target target = inForce.override().target();
			this.entries.put(target, inForce);
			policies.add(target.policy());
		}
		policies.forEach(this::publish);
	}

	/**
	 * Removes what has ended.
	 */
	void removeEnded() {
		List<InForce> left = list();
		if (left.size() < this.entries.size()) {
			replaceAll(left);
		}
	}

	/**
	 * Puts the overrides of a policy in force for every decision that begins from now on.
	 */
	void publish(String policy) {
		StoreRateLimiter limiter = this.limiters.get(policy);
		if (limiter != null) {
			limiter.versions.override(this.entries.values()
				.stream()
				.filter((inForce) -> inForce.override().target().policy().equals(policy))
				.toList(), this.time);
		}
	}

	/**
	 * The time of the store, which its last answer has told, so that overrides end for
	 * all instances at once. Without such a store it is this process' time.
	 */
	static final class StoreTime implements RateLimitClock {

		private final RateLimitClock clock;

		private volatile long ahead;

		StoreTime(RateLimitClock clock) {
			this.clock = clock;
		}

		@Override
		public long nanos() {
			return this.clock.nanos() - this.ahead;
		}

		Instant moment() {
			return Instant.ofEpochSecond(0, nanos());
		}

		void set(long nanos) {
			this.ahead = this.clock.nanos() - nanos;
		}

	}

}
