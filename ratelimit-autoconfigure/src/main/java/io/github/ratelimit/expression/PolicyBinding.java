package io.github.ratelimit.expression;

import io.github.ratelimit.policy.AppliedPlace;
import io.github.ratelimit.policy.PolicyVersion;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.request.PermitRequest;
import org.jspecify.annotations.Nullable;

/**
 * A policy at one place that it is applied to, with the expressions that say what a call
 * asks of it.
 *
 * @since 0.1.0
 */
public final class PolicyBinding {

	private final StoreRateLimiter limiter;

	private final AppliedPlace place;

	private final CallExpressions expressions;

	private final boolean conditional;

	private final boolean weighted;

	private final boolean charged;

	/* Under the version that was in force last. */
	private volatile @Nullable PermitRequest constant;

	/**
	 * Creates a binding.
	 * @param limiter enforces the policy
	 * @param place where it is applied
	 * @param expressions the key, cost, condition and charge
	 */
	PolicyBinding(StoreRateLimiter limiter, AppliedPlace place, CallExpressions expressions) {
		this.limiter = limiter;
		this.place = place;
		this.expressions = expressions;
		this.conditional = expressions.hasCondition();
		this.weighted = expressions.hasCost();
		this.charged = expressions.hasCharge();
		String key = expressions.constantKey();
		boolean constant = !this.conditional && !this.weighted && !this.charged;
		this.constant = (key != null && constant && limiter.versionsDependOnKeyOnly())
				? new PermitRequest(limiter.version(key), key, 1) : null;
	}

	/**
	 * Enforces the policy.
	 * @return the limiter
	 */
	public StoreRateLimiter limiter() {
		return this.limiter;
	}

	/**
	 * Where the policy is applied.
	 * @return the place, as people see it
	 */
	public AppliedPlace place() {
		return this.place;
	}

	/**
	 * The key, cost, condition and charge.
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
		return new PolicyBinding(this.limiter, this.place, this.expressions.beforeSecurity(remedy));
	}

	/**
	 * What all calls ask of the policy, if no call can change it.
	 * @return what to ask, or {@code null} if it must be {@link #resolve resolved}
	 */
	public @Nullable PermitRequest constant() {
		PermitRequest constant = this.constant;
		if (constant == null) {
			return null;
		}
		PolicyVersion version = this.limiter.version(constant.key());
		if (version != constant.version()) {
			constant = constant.in(version);
			this.constant = constant;
		}
		return constant;
	}

	/**
	 * Says what a call asks of the policy. This is the one place that chooses the limiter
	 * of a request.
	 * @param context the call
	 * @return what to ask, or {@code null} if the condition does not hold or the caller
	 * has a plan without limits
	 * @throws RuntimeException if an expression fails outside of a request
	 */
	public @Nullable PermitRequest resolve(RateLimitContext context) {
		if (this.conditional && !this.expressions.applies(context)) {
			return null;
		}
		String key = this.expressions.key(context);
		PolicyVersion version = this.limiter.version(key, this.expressions.planQuestion(context));
		if (version.isUnlimited()) {
			return null;
		}
		long permits = this.weighted ? this.expressions.cost(context) : 1;
		return new PermitRequest(version, key, permits, this.charged ? this.expressions.charge(context) : null);
	}

}
