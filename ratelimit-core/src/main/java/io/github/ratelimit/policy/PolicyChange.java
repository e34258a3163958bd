package io.github.ratelimit.policy;

import java.util.Objects;

import io.github.ratelimit.RateLimitPolicy;

/**
 * A change of a policy's definition while requests are decided on, checked and ready to
 * be made. A request that is under way is decided on as the policy was when it came.
 *
 * @param limiter enforces the policy; it does not change
 * @param policy the policy as it is to be
 * @param change makes the change
 * @since 0.1.0
 */
public record PolicyChange(StoreRateLimiter limiter, RateLimitPolicy policy, Runnable change) {

	/**
	 * Merges the new configuration of a policy into the one that is in force. Limits,
	 * shadow limits, mode, longest wait and plans are those of the new configuration.
	 * Key, charge, ban and warnings stay as they are, and so do the plans unless the same
	 * expression, or none, chooses among them before and after.
	 * @param before the policy that is in force
	 * @param configured the policy as it is configured now
	 * @return the policy as it is to be until the application starts again
	 */
	public static RateLimitPolicy redefined(RateLimitPolicy before, RateLimitPolicy configured) {
		boolean planned = !before.plans().isEmpty() && !configured.plans().isEmpty()
				&& Objects.equals(before.plan(), configured.plan());
		RateLimitPolicy planning = planned ? configured : before;
		return new RateLimitPolicy(before.name(), before.key(), before.charge(), before.chargeEach(),
				configured.limits(), before.ban(), configured.mode(), configured.shadowLimits(), before.plan(),
				planning.plans(), before.warnAt(), configured.maxWait());
	}

	/**
	 * Makes the change, for all requests that come from now on.
	 */
	public void make() {
		this.change.run();
	}

}
