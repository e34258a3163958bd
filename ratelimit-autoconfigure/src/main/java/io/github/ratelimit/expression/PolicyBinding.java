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

	private final KeyResolver key;

	private final @Nullable CostExpression cost;

	private final @Nullable ConditionExpression condition;

	PolicyBinding(PolicyLimiter limiter, KeyResolver key, @Nullable CostExpression cost,
			@Nullable ConditionExpression condition) {
		this.limiter = limiter;
		this.key = key;
		this.cost = cost;
		this.condition = condition;
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
		return (this.key instanceof ExpressionKeyResolver expression && expression.needsArguments())
				|| (this.cost != null && this.cost.parsed().needsArguments())
				|| (this.condition != null && this.condition.parsed().needsArguments());
	}

	/**
	 * Whether an expression reads the authenticated user.
	 * @return {@code true} if the user must be authenticated first
	 */
	public boolean needsPrincipal() {
		return this.key.needsPrincipal() || (this.cost != null && this.cost.parsed().needsPrincipal())
				|| (this.condition != null && this.condition.parsed().needsPrincipal());
	}

	/**
	 * Says what a call asks of the policy.
	 * @param context the call
	 * @return what to ask, or {@code null} if the condition does not hold
	 * @throws IllegalStateException if an expression fails, or the cost is not a whole
	 * number from 0
	 */
	public @Nullable PermitRequest resolve(RateLimitContext context) {
		if (this.condition != null && !this.condition.evaluate(context)) {
			return null;
		}
		return new PermitRequest(this.limiter, key(context), (this.cost != null) ? this.cost.evaluate(context) : 1);
	}

	private String key(RateLimitContext context) {
		String key = this.key.resolveKey(context);
		if (key != null && !key.isEmpty()) {
			return KeyText.of(key);
		}
		RequestView request = context.request();
		return (request != null) ? KeyText.ofAddress(request.clientAddress()) : KeyText.SHARED;
	}

}
