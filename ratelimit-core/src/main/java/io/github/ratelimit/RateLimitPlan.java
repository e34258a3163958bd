package io.github.ratelimit;

import java.util.Collection;
import java.util.List;

/**
 * What callers of one plan may do under a policy: limits in place of the policy's own, or
 * whatever they like.
 *
 * @param limits the limits in their order; empty if the plan is unlimited
 * @since 0.1.0
 * @see RateLimitPolicy#plans()
 */
public record RateLimitPlan(List<RateLimit> limits) {

	/**
	 * Creates a plan, unlimited if there is no limit.
	 */
	public RateLimitPlan {
		limits = List.copyOf(limits);
	}

	/**
	 * Creates a plan with limits.
	 * @param limits the limits, which are decided together
	 * @return the plan
	 * @throws InvalidRateLimitException if there is no limit
	 */
	public static RateLimitPlan of(RateLimit... limits) {
		return of(List.of(limits));
	}

	/**
	 * Creates a plan with limits.
	 * @param limits the limits, which are decided together
	 * @return the plan
	 * @throws InvalidRateLimitException if there is no limit
	 */
	public static RateLimitPlan of(Collection<RateLimit> limits) {
		InvalidRateLimitException.require(!limits.isEmpty(), "limits", limits,
				"has no entry, so that it is not known what the plan allows",
				"Give the plan at least one limit, or make it unlimited.");
		return new RateLimitPlan(List.copyOf(limits));
	}

	/**
	 * The plan of callers that the policy does not limit.
	 * @return the plan
	 */
	public static RateLimitPlan unlimited() {
		return new RateLimitPlan(List.of());
	}

	/**
	 * Whether the policy does not limit callers of the plan.
	 * @return {@code false} if the plan has limits
	 */
	public boolean isUnlimited() {
		return this.limits.isEmpty();
	}

	@Override
	public String toString() {
		return isUnlimited() ? "unlimited" : this.limits.toString();
	}

}
