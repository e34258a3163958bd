package io.github.ratelimit.expression;

import io.github.ratelimit.PermitRequest;
import io.github.ratelimit.PolicyLimiter;
import io.github.ratelimit.RateLimitExpression;
import org.jspecify.annotations.Nullable;

/**
 * A policy at one place that it is applied to, with the expressions that say what a call
 * asks of it.
 */
public final class PolicyBinding {

	private final PolicyLimiter limiter;

	private final String place;

	private final KeyResolver key;

	private final @Nullable CostExpression cost;

	private final @Nullable ConditionExpression condition;

	private final ExpressionFailures failures;

	PolicyBinding(PolicyLimiter limiter, String place, KeyResolver key, @Nullable CostExpression cost,
			@Nullable ConditionExpression condition) {
		this.limiter = limiter;
		this.failures = new ExpressionFailures(limiter, place);
		this.place = place;
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
	 * Whether an expression reads the authenticated user, or may read it.
	 * @return {@code true} if the user must be authenticated first
	 */
	public boolean needsPrincipal() {
		return principal() != PrincipalUse.NONE;
	}

	/**
	 * Whether an expression reads the authenticated user beyond doubt.
	 * @return {@code true} if the binding is of no use before the user is authenticated
	 */
	public boolean readsPrincipal() {
		return principal() == PrincipalUse.CERTAIN;
	}

	private PrincipalUse principal() {
		PrincipalUse use = (this.key instanceof ExpressionKeyResolver expression) ? expression.principal()
				: this.key.needsPrincipal() ? PrincipalUse.POSSIBLE : PrincipalUse.NONE;
		use = (this.cost != null) ? use.or(this.cost.parsed().principal()) : use;
		return (this.condition != null) ? use.or(this.condition.parsed().principal()) : use;
	}

	/**
	 * The same binding for use where nobody is authenticated yet: if code computes the
	 * key and gives none for the first hundred requests, that is logged once.
	 * @param remedy what to do if the key looks for the user, as the end of a sentence
	 * @return the binding
	 */
	public PolicyBinding beforeSecurity(String remedy) {
		boolean code = (this.key instanceof ExpressionKeyResolver expression)
				? expression.principal() != PrincipalUse.NONE : !(this.key instanceof ClientAddressKey);
		if (!code) {
			return this;
		}
		String shown = this.place + " (policy '" + this.limiter.policy().name() + "')";
		return new PolicyBinding(this.limiter, this.place, new EarlyKey(this.key, shown, remedy), this.cost,
				this.condition);
	}

	/**
	 * Says what a call asks of the policy. Within a request nothing that a client can
	 * make fail lets it through: a key that fails is the client's address, a cost one
	 * permit, and a condition holds.
	 * @param context the call
	 * @return what to ask, or {@code null} if the condition does not hold
	 * @throws RuntimeException if an expression fails outside of a request
	 */
	public @Nullable PermitRequest resolve(RateLimitContext context) {
		return applies(context) ? new PermitRequest(this.limiter, key(context), cost(context)) : null;
	}

	private boolean applies(RateLimitContext context) {
		try {
			return this.condition == null || this.condition.evaluate(context);
		}
		catch (RuntimeException | StackOverflowError ex) {
			this.failures.note(RateLimitExpression.CONDITION, ex, context);
			return true;
		}
	}

	private long cost(RateLimitContext context) {
		try {
			long permits = (this.cost != null) ? this.cost.evaluate(context) : 1;
			if (permits == 0) {
				this.failures.noteZeroCost();
			}
			return Math.max(1, permits);
		}
		catch (RuntimeException | StackOverflowError ex) {
			this.failures.note(RateLimitExpression.COST, ex, context);
			return 1;
		}
	}

	private String key(RateLimitContext context) {
		String key = resolveKey(context);
		if (key != null && !key.isEmpty()) {
			return KeyText.of(key);
		}
		RequestView request = context.request();
		return (request != null) ? KeyText.ofAddress(request.clientAddress()) : KeyText.SHARED;
	}

	/* A long text and a regular expression are enough to overflow the stack. */
	private @Nullable String resolveKey(RateLimitContext context) {
		try {
			return this.key.resolveKey(context);
		}
		catch (RuntimeException | StackOverflowError ex) {
			this.failures.note(RateLimitExpression.KEY, ex, context);
			return null;
		}
	}

}
