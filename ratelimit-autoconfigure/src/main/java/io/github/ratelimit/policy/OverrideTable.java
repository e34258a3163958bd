package io.github.ratelimit.policy;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitPolicy;
import org.jspecify.annotations.Nullable;

/**
 * The overrides of all policies, and the versions that they make. Guarded by its owner's
 * lock; decisions only see what it publishes to their policy.
 */
final class OverrideTable {

	private final Map<RateLimitOverride.Target, OverrideEntry> entries = new LinkedHashMap<>();

	/* Overrides with the same numbers share a version. */
	private final Map<RateLimitPolicy, PolicyVersion> versions = new HashMap<>();

	private final RateLimitClock clock;

	private final Consumer<StoreRateLimiter> changed;

	private final OverrideLog log;

	/**
	 * Creates an empty table.
	 * @param clock the time of ends
	 * @param changed is told of a limiter that now does what it did not do before
	 * @param log where it is said if it fails then
	 */
	OverrideTable(RateLimitClock clock, Consumer<StoreRateLimiter> changed, OverrideLog log) {
		this.clock = clock;
		this.changed = changed;
		this.log = log;
	}

	/**
	 * The version that an override makes of its policy.
	 * @throws InvalidRateLimitException if the policy cannot be enforced so
	 */
	PolicyVersion version(StoreRateLimiter limiter, RateLimitOverride override) {
		RateLimitOverride.Target target = override.target();
		RateLimitPolicy policy = defined(limiter, target);
		if (!override.limits().isEmpty()) {
			policy = policy.withLimits(override.limits());
		}
		else if (target.plan() != null && policy == limiter.policy()) {
			throw new InvalidRateLimitException("limits", override.limits(),
					"has no entry, and the plan '" + target.plan() + "' is unlimited",
					"Set the limits that are to decide on the plan's callers meanwhile.");
		}
		if (override.mode() != null) {
			policy = policy.withMode(override.mode());
		}
		PolicyVersion known = this.versions.get(policy);
		return (known != null) ? known : limiter.versions.version(policy);
	}

	/**
	 * The numbers that an override goes on from: those of its plan, or of the policy. An
	 * unlimited plan has none of its own.
	 */
	static RateLimitPolicy defined(StoreRateLimiter limiter, RateLimitOverride.Target target) {
		RateLimitPolicy policy = limiter.policy();
		RateLimitPolicy ofPlan = (target.plan() != null) ? policy.underPlan(target.plan()) : null;
		return (ofPlan != null) ? ofPlan : policy;
	}

	/**
	 * The override of a target, unless it has ended.
	 */
	@Nullable OverrideEntry get(RateLimitOverride.Target target) {
		OverrideEntry entry = this.entries.get(target);
		return (entry != null && !entry.hasEnded(this.clock.nanos())) ? entry : null;
	}

	Collection<OverrideEntry> all() {
		return this.entries.values();
	}

	/**
	 * The versions that their writers have given them.
	 */
	Set<Long> writtenVersions() {
		return all().stream().map((entry) -> entry.inForce().version()).collect(Collectors.toSet());
	}

	long keys() {
		return this.entries.keySet().stream().filter((target) -> target.key() != null).count();
	}

	void put(OverrideEntry entry) {
		OverrideEntry before = this.entries.put(entry.target(), entry);
		publish(Set.of(entry.version().limiter()));
		if (before != null) {
			forgetVersions();
		}
	}

	/**
	 * Removes an override, unless it was replaced meanwhile.
	 */
	void remove(OverrideEntry entry) {
		this.entries.remove(entry.target(), entry);
		publish(Set.of(entry.version().limiter()));
		forgetVersions();
	}

	/**
	 * Puts these in force, and no others.
	 */
	void replaceAll(List<OverrideEntry> entries) {
		Set<StoreRateLimiter> limiters = new HashSet<>();
		all().forEach((entry) -> limiters.add(entry.version().limiter()));
		this.entries.clear();
		entries.forEach((entry) -> {
			this.entries.put(entry.target(), entry);
			limiters.add(entry.version().limiter());
		});
		publish(limiters);
		forgetVersions();
	}

	/**
	 * Makes the versions of a policy anew: what an override leaves out is as the policy
	 * is defined now.
	 */
	void redefine(StoreRateLimiter limiter) {
		this.versions.values().removeIf((version) -> version.limiter() == limiter);
		this.entries.replaceAll((target, entry) -> {
			if (entry.version().limiter() != limiter) {
				return entry;
			}
			PolicyVersion version = version(limiter, entry.inForce().override());
			this.versions.putIfAbsent(version.policy, version);
			return new OverrideEntry(entry.inForce(), entry.endNanos(), version);
		});
		publish(Set.of(limiter));
	}

	/**
	 * Removes what has ended.
	 */
	void removeEnded() {
		long now = this.clock.nanos();
		List<OverrideEntry> left = all().stream().filter((entry) -> !entry.hasEnded(now)).toList();
		if (left.size() < this.entries.size()) {
			replaceAll(left);
		}
	}

	/*
	 * What counts or waits is ready before the first decision.
	 */
	private void publish(Set<StoreRateLimiter> limiters) {
		Map<StoreRateLimiter, List<OverrideEntry>> byLimiter = new HashMap<>();
		for (OverrideEntry entry : all()) {
			StoreRateLimiter limiter = entry.version().limiter();
			if (limiters.contains(limiter)) {
				byLimiter.computeIfAbsent(limiter, (first) -> new ArrayList<>()).add(entry);
				this.versions.putIfAbsent(entry.version().policy, entry.version());
				if (limiter.use(entry.version())) {
					this.log.tell(() -> this.changed.accept(limiter));
				}
			}
		}
		for (StoreRateLimiter limiter : limiters) {
			List<OverrideEntry> ofLimiter = byLimiter.get(limiter);
			limiter.versions.override((ofLimiter != null) ? new OverrideVersions(ofLimiter, this.clock) : null);
		}
	}

	private void forgetVersions() {
		Set<PolicyVersion> used = new HashSet<>();
		all().forEach((entry) -> used.add(entry.version()));
		this.versions.values().retainAll(used);
	}

}
