package io.github.ratelimit.policy;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

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

	private final Function<String, @Nullable StoreRateLimiter> limiters;

	private final StoreTime time;

	/**
	 * Creates an empty table.
	 * @param limiters finds a policy, or returns {@code null}
	 * @param time the time of ends
	 */
	OverrideTable(Function<String, @Nullable StoreRateLimiter> limiters, StoreTime time) {
		this.limiters = limiters;
		this.time = time;
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
		if (inForce != null) {
			this.entries.put(target, inForce);
		}
		else {
			this.entries.remove(target);
		}
		publish(target.policy());
	}

	/**
	 * Puts these in force, and no others.
	 */
	void replaceAll(Collection<InForce> all) {
		Set<String> policies = new LinkedHashSet<>();
		this.entries.keySet().forEach((target) -> policies.add(target.policy()));
		this.entries.clear();
		all.forEach((inForce) -> {
			Target target = inForce.override().target();
			this.entries.put(target, inForce);
			policies.add(target.policy());
		});
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
		StoreRateLimiter limiter = this.limiters.apply(policy);
		if (limiter != null) {
			List<InForce> ofPolicy = new ArrayList<>(this.entries.values());
			ofPolicy.removeIf((inForce) -> !inForce.override().target().policy().equals(policy));
			limiter.versions.override(ofPolicy, this.time);
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
