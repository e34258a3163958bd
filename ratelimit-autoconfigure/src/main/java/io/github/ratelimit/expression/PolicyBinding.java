package io.github.ratelimit.expression;

import io.github.ratelimit.PermitRequest;
import io.github.ratelimit.PolicyLimiter;
import org.jspecify.annotations.Nullable;

/**
 * A policy at one place that it is applied to, with the expressions that say what a call
 * asks of it.
 */
public final class PolicyBinding {

	private final PolicyLimiter limiter;

	PolicyBinding(PolicyLimiter limiter) {
		this.limiter = limiter;
	}

	/**
	 * What enforces the policy.
	 * @return the limiter
	 */
	public PolicyLimiter limiter() {
		return this.limiter;
	}

	/**
	 * Whether an expression reads the method's arguments.
	 * @return {@code true} if the arguments must be resolved first
	 */
	public boolean needsArguments() {
		throw new UnsupportedOperationException();
	}

	/**
	 * Whether an expression reads the authenticated user.
	 * @return {@code true} if the user must be authenticated first
	 */
	public boolean needsPrincipal() {
		throw new UnsupportedOperationException();
	}

	/**
	 * Says what a call asks of the policy.
	 * @param context the call
	 * @return what to ask, or {@code null} if the condition does not hold
	 */
	public @Nullable PermitRequest resolve(RateLimitContext context) {
		throw new UnsupportedOperationException();
	}

}
