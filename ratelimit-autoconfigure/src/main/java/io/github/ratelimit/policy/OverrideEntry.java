package io.github.ratelimit.policy;

import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitOverrides;

/**
 * An override that is in force.
 *
 * @param inForce the override
 * @param endNanos its end by this process' clock, or {@link #NO_END}
 * @param version the version of the policy that decides
 */
record OverrideEntry(RateLimitOverrides.InForce inForce, long endNanos, PolicyVersion version) {

	static final long NO_END = Long.MAX_VALUE;

	RateLimitOverride.Target target() {
		return this.inForce.override().target();
	}

	boolean hasEnd() {
		return this.endNanos != NO_END;
	}

	boolean hasEnded(long now) {
		return hasEnd() && now >= this.endNanos;
	}

}
