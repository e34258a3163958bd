package io.github.ratelimit.policy;

import java.time.Instant;

import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitOverrides;

/**
 * An override that is in force.
 *
 * @param inForce the override
 * @param endNanos its end, or {@link #NO_END}
 * @param version the version of the policy that decides
 */
record OverrideEntry(RateLimitOverrides.InForce inForce, long endNanos, PolicyVersion version) {

	static final long NO_END = Long.MAX_VALUE;

	static OverrideEntry of(OverrideText text, long writtenVersion, long endNanos, PolicyVersion version) {
		Instant until = (endNanos != NO_END) ? Instant.ofEpochSecond(0, endNanos) : null;
		return new OverrideEntry(new RateLimitOverrides.InForce(text.override(), writtenVersion, text.since(), until),
				endNanos, version);
	}

	/**
	 * The same override with its end as the store has it.
	 */
	OverrideEntry until(long endNanos) {
		return (endNanos == this.endNanos) ? this : of(new OverrideText(this.inForce.override(), this.inForce.since()),
				this.inForce.version(), endNanos, this.version);
	}

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
