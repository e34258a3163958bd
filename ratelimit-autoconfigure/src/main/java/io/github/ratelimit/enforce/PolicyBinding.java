package io.github.ratelimit.enforce;

import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.expression.CallExpressions;
import io.github.ratelimit.expression.RateLimitContext;
import org.jspecify.annotations.Nullable;

/**
 * A policy at one place that it is applied to, with the expressions that say what a call
 * asks of it.
 *
 * @param limiter enforces the policy
 * @param expressions the key, cost and condition
 * @since 0.1.0
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
	 * Says what a call asks of the policy. This is the one place that chooses the limiter
	 * of a request.
	 * @param context the call
	 * @return what to ask, or {@code null} if the condition does not hold
	 * @throws RuntimeException if an expression fails outside of a request
	 */
	public @Nullable PermitRequest resolve(RateLimitContext context) {
		return this.expressions.applies(context)
				? new PermitRequest(this.limiter, this.expressions.key(context), this.expressions.cost(context)) : null;
	}

	/**
	 * Says what a call asks of several policies.
	 * @param bindings the policies at the call's place
	 * @param context the call
	 * @return what to ask of each policy whose condition holds
	 * @throws RuntimeException if an expression fails outside of a request
	 */
	public static List<PermitRequest> resolve(List<PolicyBinding> bindings, RateLimitContext context) {
		List<PermitRequest> requests = new ArrayList<>(bindings.size());
		for (int i = 0; i < bindings.size(); i++) {
			PermitRequest request = bindings.get(i).resolve(context);
			if (request != null) {
				requests.add(request);
			}
		}
		return requests;
	}

}
