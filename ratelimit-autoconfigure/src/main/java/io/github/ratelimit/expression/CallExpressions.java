package io.github.ratelimit.expression;

import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import io.github.ratelimit.Probation;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.policy.PlanQuestion;
import io.github.ratelimit.request.Charge;
import io.github.ratelimit.request.RequestView;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The key, cost, condition, charge and plan of a policy at one place. Within a request,
 * an expression that a client can cause to fail does not let the client through: a key
 * that fails is the client's address, a cost is one permit, a condition holds, a charge
 * is the cost, and a plan is the last one.
 *
 * @since 0.1.0
 */
public final class CallExpressions {

	private static final Log logger = LogFactory.getLog(CallExpressions.class);

	private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS");

	private final String policy;

	private final Consumer<RateLimitExpression> failureCount;

	private final String place;

	private final KeyResolver key;

	/* An address is neither long nor a key of our own. */
	private final boolean keyIsAddress;

	/* A key that no call can change. */
	private final @Nullable String constantKey;

	private final @Nullable ParsedExpression cost;

	private final @Nullable ParsedExpression condition;

	private final @Nullable ParsedExpression charge;

	private final RequestReads chargeReads;

	private final @Nullable ParsedExpression plan;

	private final RequestReads planReads;

	private final boolean planOnCallersThread;

	/* What to do if the key reads the user, who is not known yet. */
	private final @Nullable String earlyRemedy;

	private final ExpressionFailures failures;

	private final RateLimitFindings findings;

	private final Probation keys = new Probation();

	CallExpressions(String policy, Consumer<RateLimitExpression> failureCount, String place, KeyResolver key,
			@Nullable ParsedExpression cost, @Nullable ParsedExpression condition, @Nullable ParsedExpression charge,
			@Nullable ParsedExpression plan, RateLimitFindings findings, @Nullable String earlyRemedy) {
		this.policy = policy;
		this.failureCount = failureCount;
		this.failures = new ExpressionFailures(policy, failureCount, place, this::text);
		this.place = place;
		this.key = key;
		String constant = (key instanceof ExpressionCompiler.ExpressionKeyResolver expression) ? expression.constant()
				: null;
		this.constantKey = (constant != null) ? KeyNormalizer.of(constant) : null;
		this.keyIsAddress = key instanceof PolicyBinder.ClientAddressKey;
		this.cost = cost;
		this.condition = condition;
		this.charge = charge;
		this.chargeReads = RequestReads.find(charge);
		this.plan = plan;
		this.planReads = RequestReads.find(plan);
		this.planOnCallersThread = plan != null && RequestReads.runOnCallersThread(plan.ast());
		this.findings = findings;
		this.earlyRemedy = earlyRemedy;
	}

	private @Nullable ParsedExpression parsed(RateLimitExpression expression) {
		return switch (expression) {
			case KEY ->
				(this.key instanceof ExpressionCompiler.ExpressionKeyResolver resolver) ? resolver.parsed() : null;
			case COST -> this.cost;
			case CONDITION -> this.condition;
			case CHARGE -> this.charge;
			case PLAN -> this.plan;
		};
	}

	private @Nullable String text(RateLimitExpression expression) {
		ParsedExpression parsed = parsed(expression);
		return (parsed != null) ? parsed.text() : null;
	}

	/**
	 * The key that no call can change.
	 * @return the key that the state is held under, or {@code null} if calls differ
	 */
	public @Nullable String constantKey() {
		return this.constantKey;
	}

	/**
	 * Whether there is a cost expression.
	 * @return {@code false} if each call costs one permit
	 */
	public boolean hasCost() {
		return this.cost != null;
	}

	/**
	 * Whether there is a condition.
	 * @return {@code false} if the policy applies to each call
	 */
	public boolean hasCondition() {
		return this.condition != null;
	}

	/**
	 * Whether there is a charge.
	 * @return {@code false} if each call is charged what it costs
	 */
	public boolean hasCharge() {
		return this.charge != null;
	}

	/**
	 * Whether an expression needs the method's call to be seen: its arguments, or what it
	 * returns.
	 * @return {@code true} if the method must be intercepted
	 */
	public boolean needsCall() {
		return needsArguments() || this.charge != null && this.charge.needsResult();
	}

	/**
	 * Whether an expression reads the method's arguments.
	 * @return {@code true} if the arguments must be resolved first
	 */
	public boolean needsArguments() {
		for (RateLimitExpression expression : RateLimitExpression.values()) {
			ParsedExpression parsed = parsed(expression);
			if (parsed != null && parsed.needsArguments()) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Whether an expression reads the authenticated user, or may read it.
	 * @return {@code true} if the user must be authenticated first
	 */
	public boolean needsPrincipal() {
		return principal() != ParsedExpression.PrincipalUse.NONE;
	}

	/**
	 * Whether an expression certainly reads the authenticated user.
	 * @return {@code true} if the binding is of no use before the user is authenticated
	 */
	public boolean readsPrincipal() {
		return principal() == ParsedExpression.PrincipalUse.CERTAIN;
	}

	/**
	 * The expression that certainly reads the authenticated user.
	 * @return the first of key, cost, condition and plan, or {@code null} if none does
	 */
	public @Nullable RateLimitExpression principalReader() {
		for (RateLimitExpression expression : RateLimitExpression.values()) {
			if (principal(expression) == ParsedExpression.PrincipalUse.CERTAIN) {
				return expression;
			}
		}
		return null;
	}

	private ParsedExpression.PrincipalUse principal() {
		return principal(RateLimitExpression.KEY).or(principal(RateLimitExpression.COST))
			.or(principal(RateLimitExpression.CONDITION))
			.or(principal(RateLimitExpression.PLAN));
	}

	private ParsedExpression.PrincipalUse principal(RateLimitExpression expression) {
		// A charge is evaluated at the end, wherever the permits are taken.
		ParsedExpression parsed = (expression != RateLimitExpression.CHARGE) ? parsed(expression) : null;
		if (parsed != null) {
			return parsed.principal();
		}
		boolean code = expression == RateLimitExpression.KEY
				&& !(this.key instanceof ExpressionCompiler.ExpressionKeyResolver);
		return (code && this.key.needsPrincipal()) ? ParsedExpression.PrincipalUse.POSSIBLE
				: ParsedExpression.PrincipalUse.NONE;
	}

	/**
	 * Returns these expressions for use before authentication. If the key is computed by
	 * code and is empty for the first hundred requests, a warning is logged once.
	 * @param remedy what to do if the key reads the user, as the end of a sentence
	 * @return the expressions
	 */
	public CallExpressions beforeSecurity(String remedy) {
		boolean code = (this.key instanceof ExpressionCompiler.ExpressionKeyResolver expression)
				? expression.needsPrincipal() : !this.keyIsAddress;
		return code ? new CallExpressions(this.policy, this.failureCount, this.place, this.key, this.cost,
				this.condition, this.charge, this.plan, this.findings, remedy) : this;
	}

	/**
	 * Whether the policy applies to a call.
	 * @param context the call
	 * @return {@code true} if the condition holds, or there is none, or its value is
	 * unknown, such as whether an anonymous user is an administrator
	 * @throws RuntimeException if the expression fails outside of a request
	 */
	public boolean applies(RateLimitContext context) {
		try {
			Object value = (this.condition != null) ? this.condition.evaluate(context) : null;
			return this.condition == null || value == null || ExpressionValues.condition(this.condition, value);
		}
		catch (RuntimeException | StackOverflowError ex) {
			this.failures.record(RateLimitExpression.CONDITION, ex, context);
			return true;
		}
	}

	/**
	 * Computes the cost of a call.
	 * @param context the call
	 * @return the number of permits, from 1
	 * @throws RuntimeException if the expression fails outside of a request
	 */
	public long cost(RateLimitContext context) {
		try {
			long permits = (this.cost != null) ? ExpressionValues.cost(this.cost, this.cost.evaluate(context)) : 1;
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

	/**
	 * Notes what the charge needs of a call, which may be gone when it is over.
	 * @param context the call
	 * @return the charge, or {@code null} if there is none
	 */
	public @Nullable Charge charge(RateLimitContext context) {
		return (this.charge != null) ? new ExpressionCharge(this.charge, this.failures,
				context.withRequest(this.chargeReads.note(context.request(), context.method() == null))) : null;
	}

	/**
	 * The question which plan the caller has.
	 * @param context the call
	 * @return the question, or {@code null} if the policy has no expression for it
	 */
	@Nullable PlanQuestion planQuestion(RateLimitContext context) {
		return (this.plan != null) ? new PlanExpression(this.plan, context) : null;
	}

	/**
	 * Computes the key of a call.
	 * @param context the call
	 * @return the key that the state is held under
	 * @throws RuntimeException if the expression fails outside of a request
	 */
	public String key(RateLimitContext context) {
		if (this.constantKey != null) {
			return this.constantKey;
		}
		if (this.keyIsAddress && context.request != null) {
			return context.request.clientAddress();
		}
		String key = resolveKey(context);
		if (key != null && !key.isEmpty()) {
			this.keys.isFailedBy(true);
			return KeyNormalizer.of(key);
		}
		RequestView request = context.request();
		if (request == null) {
			return KeyNormalizer.SHARED;
		}
		if (!this.keys.isOver() && this.keys.isFailedBy(false, isOfClient(request))) {
			reportEmptyKeys();
		}
		return KeyNormalizer.ofAddress(request.clientAddress());
	}

	/*
	 * Platforms probe an application with requests that only read.
	 */
	static boolean isOfClient(RequestView request) {
		return !READING.contains(request.method()) || Probation.isOfClient((name) -> request.header(name) != null);
	}

	private void reportEmptyKeys() {
		String empty = "The key of " + this.place + " (policy '" + this.policy
				+ "') was empty for each of its first hundred requests of clients, so that they are limited by address.";
		if (this.earlyRemedy == null) {
			this.findings.report(FindingCode.KEY_ALWAYS_EMPTY, this.policy, this.place + this.policy, empty);
			return;
		}
		logger.warn(empty + " The rule runs before Spring Security, where no user is authenticated yet. If the key "
				+ "reads the user, " + this.earlyRemedy + ".");
		this.findings.note(FindingCode.KEY_ALWAYS_EMPTY, this.policy, this.place + this.policy, empty);
	}

	/**
	 * Finds the key that the state of a key that somebody typed is held under.
	 * @param text the value of a key expression, or a key as the endpoint displays it:
	 * {@code shared:}, {@code address:} with the client's address, or {@code sha256:}
	 * with a hash
	 * @param key the policy's key expression
	 * @param ownKeys whether a place that the policy is applied to has a key of its own,
	 * which may be empty
	 * @param addresses writes a client's address as requests have it
	 * @return the key that the state is held under
	 */
	public static String stateKey(String text, String key, boolean ownKeys, UnaryOperator<String> addresses) {
		if (!key.strip().equals("clientAddress")) {
			return KeyNormalizer.ofTyped(text, addresses);
		}
		return ownKeys ? KeyNormalizer.ofTyped(addresses.apply(text), addresses)
				: KeyNormalizer.ofTypedAddress(text, addresses);
	}

	/* A regular expression can overflow the stack on a long text. */
	private @Nullable String resolveKey(RateLimitContext context) {
		try {
			return this.key.resolveKey(context);
		}
		catch (RuntimeException | StackOverflowError ex) {
			this.failures.record(RateLimitExpression.KEY, ex, context);
			return null;
		}
	}

	private final class PlanExpression implements PlanQuestion {

		private final ParsedExpression expression;

		private final RateLimitContext context;

		PlanExpression(ParsedExpression expression, RateLimitContext context) {
			this.expression = expression;
			this.context = context;
		}

		/* A bean that the expression calls may take its time. */
		@Override
		public boolean isQuick() {
			return CallExpressions.this.planOnCallersThread;
		}

		@Override
		public @Nullable String ask() {
			try {
				return KeyText.of(this.expression.evaluate(this.context), this.expression.text());
			}
			catch (RuntimeException | StackOverflowError ex) {
				record(ex);
				throw ex;
			}
		}

		@Override
		public PlanQuestion detached() {
			try {
				return new PlanExpression(this.expression,
						this.context.withRequest(CallExpressions.this.planReads.detach(this.context.request())));
			}
			catch (RuntimeException ex) {
				record(ex);
				throw ex;
			}
		}

		private void record(Throwable ex) {
			CallExpressions.this.failures.record(RateLimitExpression.PLAN, ex, this.context);
		}

	}

}
