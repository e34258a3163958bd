package io.github.ratelimit.expression;

import java.util.List;
import java.util.Map;

import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.policy.AppliedLocation;
import io.github.ratelimit.policy.EffectivePolicy;
import io.github.ratelimit.policy.PlanQuestion;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.Charge;
import io.github.ratelimit.request.PermitRequest;
import org.jspecify.annotations.Nullable;

/**
 * A policy at one location that it is applied to, with the expressions that say what a
 * call asks of it. Within a request, an expression that a client can cause to fail does
 * not let the client through: a key that fails is the client's address, a cost is one
 * permit, a condition holds, a charge is the cost, and a plan is the last one.
 *
 * @since 0.1.0
 */
public final class PolicyBinding extends BoundExpressions {

	private final StoreRateLimiter limiter;

	private final CallKey key;

	private final ExpressionFailures failures;

	private final @Nullable ParsedExpression condition;

	private final @Nullable ParsedExpression cost;

	private final @Nullable ParsedExpression charge;

	private final @Nullable ParsedExpression chargeEach;

	private final @Nullable ParsedExpression plan;

	/* The parameters of a request that say what it asks. */
	private final List<Word> parameters;

	/* Asking for a plan may take its time. */
	private final boolean awaitsPlan;

	/* The key of all calls, if no call can change what is asked. */
	private final @Nullable String constantKey;

	/* It is worked out when it is first asked for. */
	private volatile @Nullable Boolean prompt;

	/* The request for the numbers that were in force last. */
	private volatile @Nullable PermitRequest constant;

	/**
	 * Creates a binding.
	 * @param limiter enforces the policy
	 * @param location where it is applied
	 * @param key the key
	 * @param expressions all expressions, also that of the key if it is one
	 * @param failures handles their failures
	 */
	PolicyBinding(StoreRateLimiter limiter, AppliedLocation location, CallKey key,
			Map<RateLimitExpression, ParsedExpression> expressions, ExpressionFailures failures) {
		super(location, key, expressions);
		this.limiter = limiter;
		this.key = key;
		this.failures = failures;
		this.condition = expressions.get(RateLimitExpression.CONDITION);
		this.cost = expressions.get(RateLimitExpression.COST);
		this.charge = expressions.get(RateLimitExpression.CHARGE);
		this.chargeEach = expressions.get(RateLimitExpression.CHARGE_EACH);
		this.plan = expressions.get(RateLimitExpression.PLAN);

		this.parameters = parameters();
		this.awaitsPlan = limiter.mayAwaitPlan() || (this.plan != null && this.plan.callsBean());
		boolean constant = this.condition == null && this.cost == null && this.charge == null;
		this.constantKey = (constant && limiter.dependsOnKeyOnly()) ? key.constant : null;
	}

	/**
	 * Returns the limiter that enforces the policy.
	 * @return the limiter
	 */
	public StoreRateLimiter limiter() {
		return this.limiter;
	}

	/**
	 * Whether it may take its time to say what a call asks: an expression calls a bean,
	 * or a plan is waited for.
	 * @return {@code true} if it is not to be {@link #resolve resolved} where nothing may
	 * wait
	 */
	public boolean mayBlock() {
		return this.limiter.mayAwaitPlan() || callsBean();
	}

	/**
	 * Whether each request can say at once what it asks.
	 * @return {@code false} if that may take its time, or something is to be fetched
	 */
	public boolean isPrompt() {
		if (this.prompt == null) {
			this.prompt = !mayBlock() && !mayRead("principal") && !mayRead("session") && !mayRead("parameter")
					&& !mayRead("mcp");
		}
		return this.prompt;
	}

	/**
	 * Returns what all calls ask of the policy, if no call can change it.
	 * @return what to ask, or {@code null} if it must be {@link #resolve resolved}, also
	 * because the key is exempt
	 */
	public @Nullable PermitRequest constant() {
		if (this.constantKey == null) {
			return null;
		}
		EffectivePolicy effective = this.limiter.effectivePolicy(this.constantKey, null);
		PermitRequest constant = this.constant;
		if (constant == null || effective != constant.effectivePolicy()) {
			if (effective.isUnlimited()) {
				return null;
			}
			constant = new PermitRequest(effective, this.constantKey, 1);
			this.constant = constant;
		}
		return constant;
	}

	/**
	 * Whether to ask for the plan of a call may take its time.
	 * @return {@code false} if there are no plans, or an expression says them at once
	 */
	public boolean awaitsPlan() {
		return this.awaitsPlan;
	}

	/**
	 * Says what a call asks of the policy, whatever it asks of others.
	 * @param context the call
	 * @param found the key, if it has been found elsewhere: if it is empty, the client's
	 * address
	 * @param asked where it is added what to ask: nothing if the condition does not hold,
	 * or the caller is exempt or has a plan without limits
	 * @throws RuntimeException if an expression fails outside of a request
	 */
	public void resolve(RateLimitContext context, @Nullable String found, List<PermitRequest> asked) {
		resolve(context, found, asked, null);
	}

	/**
	 * Says what a call asks of the policy. A parameter with several values counts for
	 * each of them. A plan that it may take its time to ask for is not asked for if what
	 * the call asks before would be rejected.
	 * @param context the call
	 * @param found the key, if it has been found elsewhere: if it is empty, the client's
	 * address
	 * @param asked where it is added what to ask: nothing if the condition does not hold,
	 * or the caller is exempt or has a plan without limits
	 * @param acquisition the permits of the call, or {@code null} if the plan is to be
	 * asked for anyway
	 * @throws RuntimeException if an expression fails outside of a request
	 */
	public void resolve(RateLimitContext context, @Nullable String found, List<PermitRequest> asked,
			@Nullable Acquisition acquisition) {
		if (this.parameters.isEmpty()) {
			resolveOnce(context, found, asked, acquisition);
			return;
		}
		for (RateLimitContext reading : context.readings(this.parameters)) {
			resolveOnce(reading, found, asked, acquisition);
		}
	}

	/*
	 * Chooses the numbers once, so that all of one reading is decided by the same ones.
	 */
	private void resolveOnce(RateLimitContext context, @Nullable String found, List<PermitRequest> asked,
			@Nullable Acquisition acquisition) {
		if (this.condition != null && !applies(this.condition, context)) {
			return;
		}

		String key = (found != null) ? this.key.ofFound(found, context) : this.key.of(context);
		EffectivePolicy effective = effectivePolicy(context, key, asked, acquisition);
		if (effective.isUnlimited()) {
			effective.countExempt();
			return;
		}

		long permits = (this.cost != null) ? cost(this.cost, context) : 1;
		Charge charge = (this.charge != null) ? charge(this.charge, context) : null;
		asked.add(new PermitRequest(effective, key, permits, charge));
	}

	/**
	 * Records that a key was not found elsewhere, because what looks for it has failed.
	 * The call is limited by the client's address then.
	 * @param failure why it failed
	 * @param context the call
	 */
	public void recordFailedKey(Throwable failure, RateLimitContext context) {
		this.failures.record(RateLimitExpression.KEY, failure, context);
	}

	private EffectivePolicy effectivePolicy(RateLimitContext context, String key, List<PermitRequest> earlier,
			@Nullable Acquisition acquisition) {
		if (this.awaitsPlan && acquisition != null && !earlier.isEmpty() && this.limiter.asksForPlan(key)
				&& !acquisition.wouldPass(earlier)) {
			return this.limiter.lastEffectivePolicy(key);
		}
		return this.limiter.effectivePolicy(key, planQuestion(context));
	}

	/*
	 * A value may be unknown, such as whether an anonymous user is an administrator.
	 */
	private boolean applies(ParsedExpression condition, RateLimitContext context) {
		try {
			Object value = condition.evaluate(context);
			return value == null || ExpressionValues.condition(condition, value);
		}
		catch (RuntimeException | StackOverflowError ex) {
			this.failures.record(RateLimitExpression.CONDITION, ex, context);
			return true;
		}
	}

	private long cost(ParsedExpression cost, RateLimitContext context) {
		try {
			long permits = ExpressionValues.cost(cost, cost.evaluate(context));
			if (permits == 0) {
				this.failures.recordZeroCost();
			}
			return Math.max(1, permits);
		}
		catch (RuntimeException | StackOverflowError ex) {
			this.failures.record(RateLimitExpression.COST, ex, context);
			return 1;
		}
	}

	/* Notes what the charge reads of the call, because it may be gone when it is over. */
	private Charge charge(ParsedExpression charge, RateLimitContext context) {
		RateLimitContext noted = context.noted(charge.words());
		CountedElements elements = null;
		if (this.chargeEach != null) {
			noted = noted.noted(this.chargeEach.words());
		}
		if (countsElements()) {
			elements = new CountedElements(this.chargeEach, this.failures, noted);
		}
		return new ExpressionCharge(charge, this.failures, noted, elements);
	}

	@Nullable PlanQuestion planQuestion(RateLimitContext context) {
		if (this.plan == null) {
			return null;
		}
		return new PlanExpression(this.plan, this.failures, context);
	}

}
