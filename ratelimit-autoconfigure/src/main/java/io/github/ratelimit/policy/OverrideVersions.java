package io.github.ratelimit.policy;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitOverrides;
import org.jspecify.annotations.Nullable;

/**
 * The overrides of one policy that are in force at a moment. Never changed once they are
 * published, but replaced.
 */
final class OverrideVersions {

	private static final long NO_END = Long.MAX_VALUE;

	private final Map<String, Entry> keys = new HashMap<>();

	private final Map<String, Entry> plans = new HashMap<>();

	private @Nullable Entry policy;

	private final RateLimitClock clock;

	/**
	 * Creates overrides of nothing.
	 * @param clock the time of their ends
	 */
	OverrideVersions(RateLimitClock clock) {
		this.clock = clock;
	}

	void add(RateLimitOverrides.InForce inForce, PolicyVersion version) {
		Instant until = inForce.until();
		Entry entry = new Entry((until != null) ? ChronoUnit.NANOS.between(Instant.EPOCH, until) : NO_END, version);
		RateLimitOverride.Target target = inForce.override().target();
		if (target.key() != null) {
			this.keys.put(target.key(), entry);
		}
		else if (target.plan() != null) {
			this.plans.put(target.plan(), entry);
		}
		else {
			this.policy = entry;
		}
	}

	/**
	 * The version that decides on a key, whatever its plan is.
	 * @return the version, or {@code null} if the key has no override
	 */
	@Nullable PolicyVersion ofKey(String key) {
		return this.keys.isEmpty() ? null : version(this.keys.get(key));
	}

	/**
	 * The version that decides on the keys of a plan.
	 * @return the version, or {@code null} if the plan has no override
	 */
	@Nullable PolicyVersion ofPlan(String plan) {
		return version(this.plans.get(plan));
	}

	/**
	 * The version that decides on keys without a plan.
	 * @return the version, or {@code null} if the policy has no override
	 */
	@Nullable PolicyVersion ofPolicy() {
		return version(this.policy);
	}

	private @Nullable PolicyVersion version(@Nullable Entry entry) {
		return (entry == null || entry.endNanos != NO_END && this.clock.nanos() >= entry.endNanos) ? null
				: entry.version;
	}

	private record Entry(long endNanos, PolicyVersion version) {
	}

}
