package io.github.ratelimit.expression;

import io.github.ratelimit.RateLimitExpression;
import org.jspecify.annotations.Nullable;

/**
 * What one call is charged in the end: its charge expression, with what it sees of the
 * call.
 *
 * @since 0.1.0
 */
public final class Charge {

	private final ParsedExpression expression;

	private final ExpressionFailures failures;

	private final RateLimitContext context;

	/* What it was evaluated for: once, though shadow limits are charged too. */
	private @Nullable CallOutcome evaluated;

	private @Nullable Object value;

	private boolean failed;

	Charge(ParsedExpression expression, ExpressionFailures failures, RateLimitContext context) {
		this.expression = expression;
		this.failures = failures;
		this.context = context;
	}

	/**
	 * Whether the expression reads the authenticated user, or may read it.
	 * @return {@code true} if the user is to be noted once they are authenticated
	 */
	public boolean readsPrincipal() {
		return this.expression.principal() != PrincipalUse.NONE;
	}

	/**
	 * Whether another charge is written the same: then the one that was noted first has
	 * the request as it came.
	 * @param other another charge
	 * @return {@code false} if the two differ in more than in what they have noted
	 */
	public boolean isWrittenAs(Charge other) {
		return this.expression.text().equals(other.expression.text());
	}

	/**
	 * Evaluates the expression, once for an outcome.
	 * @param reserved what the call has reserved
	 * @param outcome how it has ended
	 * @return how many permits the call has used; what it has reserved if the expression
	 * fails
	 */
	public long used(long reserved, CallOutcome outcome) {
		if (outcome == CallOutcome.UNKNOWN) {
			return reserved;
		}
		if (this.evaluated != outcome) {
			this.evaluated = outcome;
			evaluate(outcome);
		}
		return this.failed ? reserved : ExpressionValues.charge(this.expression, this.value, reserved);
	}

	private void evaluate(CallOutcome outcome) {
		this.failed = false;
		try {
			checkKnown("status", "the handler", this.expression.needsStatus(), outcome.status());
			checkKnown("authenticationFailed", "part", this.expression.needsAuthentication(),
					outcome.authenticationFailed());
			this.value = this.expression.evaluate(this.context.withOutcome(outcome));
			ExpressionValues.charge(this.expression, this.value, 1);
		}
		catch (RuntimeException | StackOverflowError ex) {
			this.failed = true;
			this.failures.record(RateLimitExpression.CHARGE, ex, this.context);
		}
	}

	/*
	 * Without a status, status >= 400 would be false, and nobody would ever be charged.
	 */
	private void checkKnown(String word, String part, boolean needed, @Nullable Object value) {
		if (needed && value == null) {
			String reason = "it reads " + word + ", and the call is not " + part + " of an HTTP request";
			throw new FailedExpressionException("The charge '" + this.expression.text() + "' of "
					+ this.expression.place().description() + " has no value: " + reason, reason);
		}
	}

}
