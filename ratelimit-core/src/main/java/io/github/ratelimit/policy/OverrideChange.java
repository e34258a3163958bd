package io.github.ratelimit.policy;

import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitOverrides;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.support.ReadableText;
import org.jspecify.annotations.Nullable;

/**
 * A change that this instance has made to an override, for those who keep records.
 *
 * @param inForce what is in force, or, if it was taken back, what was
 * @param removed whether it was taken back
 * @param replaced whether there was an override of the same target before
 * @param before the policy with the numbers that decided until now
 * @param after the policy with the numbers that decide from now on
 * @param who the name of whoever asked for it, or {@code null} if it is not known
 * @since 0.1.0
 */
public record OverrideChange(RateLimitOverrides.InForce inForce, boolean removed, boolean replaced,
		RateLimitPolicy before, RateLimitPolicy after, @Nullable String who) {

	/**
	 * What is overridden, for people to read. A key may be a name or an address, so that
	 * its hash stands for it, as in the log of rejections.
	 * @return the start of a sentence, such as {@code The rate limit policy 'login'}
	 */
	public String subject() {
		RateLimitOverride.Target target = this.inForce.override().target();
		String policy = "The rate limit policy '" + target.policy() + "'";
		if (target.key() != null) {
			return policy + " of the key with the hash " + RejectionLog.hash(target.key());
		}
		if (target.plan() != null) {
			return policy + " of the plan '" + ReadableText.of(target.plan()) + "'";
		}
		return policy;
	}

}
