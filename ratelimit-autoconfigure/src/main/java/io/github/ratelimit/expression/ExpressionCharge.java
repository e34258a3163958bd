package io.github.ratelimit.expression;

import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.request.CallOutcome;
import io.github.ratelimit.request.Charge;
import org.jspecify.annotations.Nullable;

/**
 * A charge expression, with the call that it sees.
 */
final class ExpressionCharge implements Charge {

	private final ParsedExpression expression;

	private final ExpressionFailures failures;

	private final RateLimitContext context;

	/* It is evaluated once for an outcome, though shadow limits are charged too. */
	private @Nullable CallOutcome evaluated;

	private @Nullable Object value;

	private boolean failed;

	ExpressionCharge(ParsedExpression expression, ExpressionFailures failures, RateLimitContext context) {
		this.expression = expression;
		this.failures = failures;
		this.context = context;
	}

	@Override
	public boolean readsPrincipal() {
		return this.expression.principal() != ParsedExpression.PrincipalUse.NONE;
	}

	@Override
	public boolean mayBlock() {
		return this.expression.callsBean();
	}

	@Override
	public boolean isWrittenAs(Charge other) {
		return other instanceof ExpressionCharge that && this.expression.text().equals(that.expression.text());
	}

	@Override
	public long used(long reserved, CallOutcome outcome) {
		if (this.evaluated != outcome) {
			this.evaluated = outcome;
			evaluate(outcome);
		}
		if (this.failed) {
			return reserved;
		}
		long used = ExpressionValues.charge(this.expression, this.value, reserved);
		return isIncomplete(outcome) ? Math.max(used, reserved) : used;
	}

	/*
	 * Whether the call was cancelled, which the expression knows nothing of. Whoever
	 * leaves before what they have used is told would pay nothing.
	 */
	private boolean isIncomplete(CallOutcome outcome) {
		return outcome.cancelled() && !this.expression.reads("cancelled");
	}

	private void evaluate(CallOutcome outcome) {
		this.failed = false;
		try {
			if (!outcome.cancelled() || isIncomplete(outcome)) {
				checkKnown("status", "the handler", outcome.status());
				checkKnown("authenticationFailed", "part", outcome.authenticationFailed());
			}
			this.value = this.expression.evaluate(this.context.withOutcome(outcome));
			ExpressionValues.charge(this.expression, this.value, 1);
		}
		catch (RuntimeException | StackOverflowError ex) {
			this.failed = true;
			// what is missing may be what the caller did not wait for
			if (!isIncomplete(outcome)) {
				this.failures.record(RateLimitExpression.CHARGE, ex, this.context);
			}
		}
	}

	/*
	 * Without a status, status >= 400 would be false, and nobody would ever be charged.
	 */
	private void checkKnown(String word, String part, @Nullable Object value) {
		if (value == null && this.expression.reads(word)) {
			throw new FailedExpressionException(this.expression.location(),
					"it reads " + word + ", and the call is not " + part + " of an HTTP request", false);
		}
	}

}
