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

	private final ChargeExpression expression;

	private final ExpressionFailures failures;

	private final RateLimitContext context;

	/* What it was evaluated for: once, though shadow limits are charged too. */
	private @Nullable CallOutcome evaluated;

	private @Nullable Object value;

	private boolean failed;

	Charge(ChargeExpression expression, ExpressionFailures failures, RateLimitContext context) {
		this.expression = expression;
		this.failures = failures;
		this.context = context;
	}

	/**
	 * Whether the expression reads the authenticated user, or may read it.
	 * @return {@code true} if the user is to be noted once they are authenticated
	 */
	public boolean readsPrincipal() {
		return this.expression.parsed().principal() != PrincipalUse.NONE;
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
		return this.failed ? reserved : this.expression.used(this.value, reserved);
	}

	private void evaluate(CallOutcome outcome) {
		this.failed = false;
		try {
			this.value = this.expression.value(this.context.withOutcome(outcome));
			this.expression.check(this.value);
		}
		catch (RuntimeException | StackOverflowError ex) {
			this.failed = true;
			this.failures.record(RateLimitExpression.CHARGE, ex, this.context);
		}
	}

}
