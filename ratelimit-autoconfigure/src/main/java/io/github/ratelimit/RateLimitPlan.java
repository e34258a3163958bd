package io.github.ratelimit;

import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What callers of one plan may do under a policy: limits in place of the policy's own, or
 * whatever they like.
 *
 * @since 0.1.0
 * @see RateLimitPolicy#plans()
 */
public final class RateLimitPlan {

	private static final RateLimitPlan UNLIMITED = new RateLimitPlan(List.of());

	private final List<RateLimit> limits;

	private RateLimitPlan(List<RateLimit> limits) {
		this.limits = limits;
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
		if (limits.isEmpty()) {
			throw new InvalidRateLimitException("limits", limits,
					"has no entry, so that it is not known what the plan allows",
					"Give the plan at least one limit, or make it unlimited.");
		}
		return new RateLimitPlan(List.copyOf(limits));
	}

	/**
	 * The plan of callers that the policy does not limit.
	 * @return the plan
	 */
	public static RateLimitPlan unlimited() {
		return UNLIMITED;
	}

	/**
	 * The limits of the plan.
	 * @return the limits in their order; empty if the plan is unlimited
	 */
	public List<RateLimit> limits() {
		return this.limits;
	}

	/**
	 * Whether the policy does not limit callers of the plan.
	 * @return {@code false} if the plan has limits
	 */
	public boolean isUnlimited() {
		return this.limits.isEmpty();
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof RateLimitPlan plan && this.limits.equals(plan.limits);
	}

	@Override
	public int hashCode() {
		return this.limits.hashCode();
	}

	@Override
	public String toString() {
		return isUnlimited() ? "unlimited" : this.limits.toString();
	}

}
