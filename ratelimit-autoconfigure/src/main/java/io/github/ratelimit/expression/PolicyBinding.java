package io.github.ratelimit.expression;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.policy.AppliedLocation;
import io.github.ratelimit.policy.PlanQuestion;
import io.github.ratelimit.policy.EffectivePolicy;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.Charge;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.support.Suggestion;
import org.jspecify.annotations.Nullable;

/**
 * A policy at one location that it is applied to, with the expressions that say what a
 * call asks of it. Within a request, an expression that a client can cause to fail does
 * not let the client through: a key that fails is the client's address, a cost is one
 * permit, a condition holds, a charge is the cost, and a plan is the last one.
 *
 * @since 0.1.0
 */
public final class PolicyBinding {

	/* They are evaluated once the call was made. */
	private static final Set<RateLimitExpression> LATER = Set.of(RateLimitExpression.CHARGE,
			RateLimitExpression.CHARGE_EACH);

	private final StoreRateLimiter limiter;

	private final AppliedLocation location;

	private final CallKey key;

	private final Map<RateLimitExpression, ParsedExpression> expressions;

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
		this.limiter = limiter;
		this.location = location;
		this.key = key;
		this.expressions = expressions;
		this.failures = failures;
		this.condition = expressions.get(RateLimitExpression.CONDITION);
		this.cost = expressions.get(RateLimitExpression.COST);
		this.charge = expressions.get(RateLimitExpression.CHARGE);
		this.chargeEach = expressions.get(RateLimitExpression.CHARGE_EACH);
		this.plan = expressions.get(RateLimitExpression.PLAN);

		this.parameters = expressions.entrySet()
			.stream()
			.filter((each) -> !LATER.contains(each.getKey()))
			.flatMap((each) -> each.getValue().words().stream())
			.filter((word) -> word.text().equals("parameter"))
			.distinct()
			.toList();

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
	 * Returns where the policy is applied.
	 * @return the location, as people see it
	 */
	public AppliedLocation location() {
		return this.location;
	}

	/**
	 * Returns whether there is a charge.
	 * @return {@code false} if each call is charged what it costs
	 */
	public boolean hasCharge() {
		return this.charge != null;
	}

	/**
	 * Returns whether an expression needs the method's call to be seen: its arguments, or
	 * what it returns.
	 * @return {@code true} if the method must be intercepted
	 */
	public boolean needsCall() {
		return needsArguments() || countsElements() || (this.charge != null && this.charge.reads("result"));
	}

	/**
	 * Returns whether the elements of what the method returns are counted.
	 * @return {@code true} if an expression charges each of them, or reads their number
	 */
	public boolean countsElements() {
		return this.chargeEach != null || (this.charge != null && this.charge.reads("elements"));
	}

	/**
	 * Returns whether an expression reads the method's arguments.
	 * @return {@code true} if the arguments must be resolved first
	 */
	public boolean needsArguments() {
		boolean needed = false;
		for (ParsedExpression expression : this.expressions.values()) {
			needed |= expression.needsArguments();
		}
		return needed;
	}

	/**
	 * Returns whether an expression reads the authenticated user, or may read it. A
	 * charge is evaluated at the end, wherever the permits are taken.
	 * @return {@code true} if the user must be authenticated first
	 */
	public boolean needsPrincipal() {
		return this.key.needsPrincipal() || principalReader(ParsedExpression.PrincipalUse.POSSIBLE) != null;
	}

	/**
	 * Checks that what each call costs is no more than passes at once.
	 * @param policy the policy as it is, or is to be
	 * @throws InvalidRateLimitException if no call can change the cost, and it is above
	 * the capacity of a limit of the policy
	 */
	public void checkCost(RateLimitPolicy policy) {
		if (this.cost != null) {
			ExpressionValues.checkCost(this.cost, policy);
		}
	}

	/**
	 * Checks the path variables that expressions read.
	 * @param patterns those of all paths that calls come with
	 * @throws InvalidRateLimitException if an expression that is written at this location
	 * reads a variable that none of them has, or one that is written for several
	 * locations reads one whose name is nearly that of a variable
	 */
	public void checkPathVariables(Collection<String> patterns) {
		Set<String> known = PathVariables.of(patterns);
		for (ParsedExpression expression : this.expressions.values()) {
			boolean own = expression.location().description().equals(this.location.location());
			for (Word word : expression.words()) {
				if (!word.text().equals("pathVariable") || known.contains(word.name())) {
					continue;
				}
				if (own || isMisspelled(word.name(), known, expression)) {
					throw PathVariables.missing(expression.location(), word.name(), patterns, known);
				}
			}
		}
	}

	/*
	 * An expression that is written for several locations may read variables that only
	 * some of them have.
	 */
	private static boolean isMisspelled(String variable, Set<String> known, ParsedExpression expression) {
		return !expression.hasChoice() && !Suggestion.question(variable, known).isEmpty();
	}

	/**
	 * Returns whether it may take its time to say what a call asks: an expression calls a
	 * bean, or a plan is waited for.
	 * @return {@code true} if it is not to be {@link #resolve resolved} where nothing may
	 * wait
	 */
	public boolean mayBlock() {
		return this.limiter.mayAwaitPlan() || this.expressions.values().stream().anyMatch(ParsedExpression::callsBean);
	}

	/**
	 * Returns whether something is read of a request to say what it asks, or may be read.
	 * @param word what reads it, such as {@code principal}, {@code session} or
	 * {@code parameter}
	 * @return {@code false} if no expression reads it or passes the request on, and no
	 * {@link KeyResolver} finds the key
	 */
	public boolean mayRead(String word) {
		return this.key.isResolved() || this.expressions.values().stream().anyMatch((each) -> each.mayRead(word));
	}

	/**
	 * Returns whether each request can say at once what it asks.
	 * @return {@code false} if that may take its time, or something is to be fetched
	 */
	public boolean isPrompt() {
		if (this.prompt == null) {
			this.prompt = !mayBlock() && !mayRead("principal") && !mayRead("session") && !mayRead("parameter");
		}
		return this.prompt;
	}

	/**
	 * Returns the expression that certainly reads the authenticated user.
	 * @return the first of key, cost, condition and plan, or {@code null} if none does
	 */
	public @Nullable RateLimitExpression principalReader() {
		return principalReader(ParsedExpression.PrincipalUse.CERTAIN);
	}

	private @Nullable RateLimitExpression principalReader(ParsedExpression.PrincipalUse use) {
		for (Map.Entry<RateLimitExpression, ParsedExpression> each : this.expressions.entrySet()) {
			if (!LATER.contains(each.getKey()) && each.getValue().principal().compareTo(use) >= 0) {
				return each.getKey();
			}
		}
		return null;
	}

	/**
	 * Returns what all calls ask of the policy, if no call can change it.
	 * @return what to ask, or {@code null} if it must be {@link #resolve resolved}
	 */
	public @Nullable PermitRequest constant() {
		if (this.constantKey == null) {
			return null;
		}
		EffectivePolicy effective = this.limiter.effectivePolicy(this.constantKey, null);
		PermitRequest constant = this.constant;
		if (constant == null || effective != constant.effectivePolicy()) {
			constant = new PermitRequest(effective, this.constantKey, 1);
			this.constant = constant;
		}
		return constant;
	}

	/**
	 * Returns whether to ask for the plan of a call may take its time.
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
	 * @param asked where it is added what to ask: nothing if the condition does not hold
	 * or the caller has a plan without limits
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
	 * @param asked where it is added what to ask: nothing if the condition does not hold
	 * or the caller has a plan without limits
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
	 * Only this method chooses the limiter of a request.
	 */
	private void resolveOnce(RateLimitContext context, @Nullable String found, List<PermitRequest> asked,
			@Nullable Acquisition acquisition) {
		if (this.condition != null && !applies(this.condition, context)) {
			return;
		}

		String key = (found != null) ? KeyNormalizer.of(found, context.request) : this.key.of(context);
		EffectivePolicy effective = effectivePolicy(context, key, asked, acquisition);
		if (effective.isUnlimited()) {
			return;
		}

		long permits = (this.cost != null) ? cost(this.cost, context) : 1;
		Charge charge = (this.charge != null) ? charge(this.charge, context) : null;
		asked.add(new PermitRequest(effective, key, permits, charge));
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

	/**
	 * Asks for the plan by an expression.
	 */
	private record PlanExpression(ParsedExpression expression, ExpressionFailures failures,
			RateLimitContext context) implements PlanQuestion {

		/*
		 * A bean that the expression calls may take its time. The request itself is gone
		 * afterwards.
		 */
		@Override
		public boolean isQuick() {
			return this.expression.needsRequest() || !this.expression.callsBean();
		}

		@Override
		public boolean mayBlock() {
			return this.expression.callsBean();
		}

		/*
		 * A failure is recorded before anybody can know of it. A plan that nobody waits
		 * for any longer fails too.
		 */
		@Override
		public CompletableFuture<@Nullable String> ask() {
			try {
				CompletableFuture<@Nullable Object> value = PendingValue.await(this.expression.evaluate(this.context));
				CompletableFuture<@Nullable String> plan = value
					.<@Nullable String>thenApply((result) -> KeyText.of(result, this.expression.location()))
					.whenComplete(this::recordFailure);
				plan.whenComplete((name, failure) -> {
					if (plan.isCancelled()) {
						value.cancel(true);
						recordFailure(name, failure);
					}
				});
				return plan;
			}
			catch (RuntimeException | StackOverflowError ex) {
				record(ex);
				throw ex;
			}
		}

		private void recordFailure(@Nullable String plan, @Nullable Throwable failure) {
			if (failure instanceof CompletionException && failure.getCause() != null) {
				record(failure.getCause());
			}
			else if (failure != null) {
				record(failure);
			}
		}

		private void record(Throwable failure) {
			this.failures.record(RateLimitExpression.PLAN, failure, this.context);
		}

		@Override
		public long bytes() {
			return this.context.notedBytes();
		}

		@Override
		public PlanQuestion detached() {
			RateLimitContext detached = this.context.detached(this.expression.words());
			if (!this.expression.needsArguments()) {
				detached = detached.withoutArguments();
			}
			return new PlanExpression(this.expression, this.failures, detached);
		}

	}

}
