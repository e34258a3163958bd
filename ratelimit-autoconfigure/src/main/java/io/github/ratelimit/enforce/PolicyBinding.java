package io.github.ratelimit.enforce;

import io.github.ratelimit.expression.CallExpressions;
import io.github.ratelimit.expression.RateLimitContext;
import org.jspecify.annotations.Nullable;

/**
 * A policy at one place that it is applied to, with the expressions that say what a call
 * asks of it.
 *
 * @since 0.1.0
 */
public final class PolicyBinding {

	private final StoreRateLimiter limiter;

	private final CallExpressions expressions;

	private final boolean conditional;

	private final boolean weighted;

	private final @Nullable PermitRequest constant;

	/**
	 * Creates a binding.
	 * @param limiter enforces the policy
	 * @param expressions the key, cost and condition
	 */
	PolicyBinding(StoreRateLimiter limiter, CallExpressions expressions) {
		this.limiter = limiter;
		this.expressions = expressions;
		this.conditional = expressions.hasCondition();
		this.weighted = expressions.hasCost();
		String key = expressions.constantKey();
		this.constant = (key != null && !this.conditional && !this.weighted) ? new PermitRequest(limiter, key, 1)
				: null;
	}

	/**
	 * Enforces the policy.
	 * @return the limiter
	 */
	public StoreRateLimiter limiter() {
		return this.limiter;
	}

	/**
	 * The key, cost and condition.
	 * @return the expressions
	 */
	public CallExpressions expressions() {
		return this.expressions;
	}

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
	 * What all calls ask of the policy, if no call can change it.
	 * @return what to ask, or {@code null} if it must be {@link #resolve resolved}
	 */
	public @Nullable PermitRequest constant() {
		return this.constant;
	}

	/**
	 * Says what a call asks of the policy. This is the one place that chooses the limiter
	 * of a request.
	 * @param context the call
	 * @return what to ask, or {@code null} if the condition does not hold
	 * @throws RuntimeException if an expression fails outside of a request
	 */
	public @Nullable PermitRequest resolve(RateLimitContext context) {
		if (this.conditional && !this.expressions.applies(context)) {
			return null;
		}
		String key = this.expressions.key(context);
		return new PermitRequest(this.limiter, key, this.weighted ? this.expressions.cost(context) : 1);
	}

}
