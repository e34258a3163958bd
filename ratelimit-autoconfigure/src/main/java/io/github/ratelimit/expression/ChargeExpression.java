package io.github.ratelimit.expression;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

import io.github.ratelimit.ReadableText;
import org.jspecify.annotations.Nullable;

/**
 * A charge: the number of permits that a call has used.
 */
record ChargeExpression(ParsedExpression parsed, Evaluator evaluator, ExpressionPlace place, RequestReads reads) {

	private static final int MOST_DIGITS = 19;

	/**
	 * Evaluates the expression. Without a status, {@code status >= 400} would be false,
	 * and nobody would ever be charged.
	 * @param context the call, with its outcome
	 * @return its value
	 */
	@Nullable Object value(RateLimitContext context) {
		CallOutcome outcome = context.outcome();
		if (outcome != null && outcome.status() == null && this.parsed.needsStatus()) {
			throw unknown("status", "the handler");
		}
		if (outcome != null && outcome.authenticationFailed() == null && this.parsed.needsAuthentication()) {
			throw unknown("authenticationFailed", "part");
		}
		return this.evaluator.evaluate(context);
	}

	private FailedExpressionException unknown(String word, String part) {
		String reason = "it reads " + word + ", and the call is not " + part + " of an HTTP request";
		return new FailedExpressionException(
				"The charge expression '" + text() + "' of " + this.place.description() + " has no value: " + reason,
				reason);
	}

	String text() {
		return this.parsed.expression().getExpressionString();
	}

	void check(@Nullable Object value) {
		used(value, 1);
	}

	/**
	 * Reads a value of the expression.
	 * @param value the value
	 * @param reserved what the call has reserved
	 * @return the permits
	 */
	long used(@Nullable Object value, long reserved) {
		if (value instanceof Boolean all) {
			return all ? reserved : 0;
		}
		long permits = (value instanceof Number number) ? whole(number) : -1;
		if (permits < 0) {
			throw noCharge(value);
		}
		return permits;
	}

	/*
	 * The next whole number, the largest for all that are larger, or -1 for those that
	 * are negative and those that are no numbers.
	 */
	private static long whole(Number number) {
		if (number instanceof Double || number instanceof Float) {
			double value = number.doubleValue();
			return (value >= 0 && value < Double.POSITIVE_INFINITY) ? (long) Math.ceil(value) : -1;
		}
		if (number instanceof BigInteger value) {
			return whole(value);
		}
		return (number instanceof BigDecimal value) ? whole(value) : Math.max(-1, number.longValue());
	}

	private static long whole(BigInteger value) {
		return (value.signum() < 0) ? -1 : (value.bitLength() < Long.SIZE) ? value.longValue() : Long.MAX_VALUE;
	}

	/* A number of few digits may be one of a billion once it is written out. */
	private static long whole(BigDecimal value) {
		if (value.signum() <= 0) {
			return value.signum();
		}
		long digits = (long) value.precision() - value.scale();
		return (digits > MOST_DIGITS) ? Long.MAX_VALUE
				: (digits <= 0) ? 1 : whole(value.setScale(0, RoundingMode.CEILING).unscaledValue());
	}

	private FailedExpressionException noCharge(@Nullable Object value) {
		return new FailedExpressionException(
				"The charge expression '" + text() + "' of " + this.place.description()
						+ " must give true, false or a number from 0, not " + ReadableText.of(value),
				"it gave " + ReadableText.typeOf(value) + " in place of true, false or a number from 0");
	}

}
