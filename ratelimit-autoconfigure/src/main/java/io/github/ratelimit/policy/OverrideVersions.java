package io.github.ratelimit.policy;

import java.util.HashMap;
import java.util.Map;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitOverride;
import org.jspecify.annotations.Nullable;

/**
 * The overrides of one policy that are in force at a moment. Never changed, but replaced.
 */
final class OverrideVersions {

	private final RateLimitClock clock;

	private final Map<String, OverrideEntry> keys = new HashMap<>();

	private final Map<String, OverrideEntry> plans = new HashMap<>();

	private final @Nullable OverrideEntry policy;

	/**
	 * Creates the overrides.
	 * @param entries all of the policy's
	 * @param clock the time of their ends
	 */
	OverrideVersions(Iterable<OverrideEntry> entries, RateLimitClock clock) {
		this.clock = clock;
		OverrideEntry ofPolicy = null;
		for (OverrideEntry entry : entries) {
			RateLimitOverride.Target target = entry.target();
			if (target.key() != null) {
				this.keys.put(target.key(), entry);
			}
			else if (target.plan() != null) {
				this.plans.put(target.plan(), entry);
			}
			else {
				ofPolicy = entry;
			}
		}
		this.policy = ofPolicy;
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
		return this.plans.isEmpty() ? null : version(this.plans.get(plan));
	}

	/**
	 * The version that decides on keys without a plan.
	 * @return the version, or {@code null} if the policy has no override
	 */
	@Nullable PolicyVersion ofPolicy() {
		return version(this.policy);
	}

	private @Nullable PolicyVersion version(@Nullable OverrideEntry entry) {
		return (entry == null || entry.hasEnd() && entry.hasEnded(this.clock.nanos())) ? null : entry.version();
	}

}
