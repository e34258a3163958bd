package io.github.ratelimit.enforce;

import io.github.ratelimit.expression.CallExpressions;
import io.github.ratelimit.expression.RateLimitContext;
import org.jspecify.annotations.Nullable;

/**
 * A policy at one place that it is applied to, with the expressions that say what a call
 * asks of it.
 *
 * @param limiter enforces the policy
 * @param expressions the key, cost and condition
 */
public record PolicyBinding(StoreRateLimiter limiter, CallExpressions expressions) {

	/**
	 * The same binding for use where nobody is authenticated yet.
	 * @param remedy what to do if the key looks for the user, as the end of a sentence
	 * @return the binding
	 * @see CallExpressions#beforeSecurity(String)
	 */
	public PolicyBinding beforeSecurity(String remedy) {
		return new PolicyBinding(this.limiter, this.expressions.beforeSecurity(remedy));
	}

	/**
	 * Says what a call asks of the policy.
	 * @param context the call
	 * @return what to ask, or {@code null} if the condition does not hold
	 * @throws RuntimeException if an expression fails outside of a request
	 */
	public @Nullable PermitRequest resolve(RateLimitContext context) {
		return this.expressions.applies(context)
				? new PermitRequest(this.limiter, this.expressions.key(context), this.expressions.cost(context)) : null;
	}

}
