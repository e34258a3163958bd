package io.github.ratelimit.expression;

import java.math.BigDecimal;
import java.math.BigInteger;

import io.github.ratelimit.ReadableText;
import org.jspecify.annotations.Nullable;

/**
 * A cost: the number of permits that a call takes.
 */
record CostExpression(ParsedExpression parsed, Evaluator evaluator, ExpressionPlace place) {

	/**
	 * Computes the cost.
	 * @param context the call
	 * @return the permits; 0 is left to the caller
	 */
	long evaluate(RateLimitContext context) {
		Object value = this.evaluator.evaluate(context);
		long permits = whole(value);
		if (permits < 0) {
			throw noCost(value);
		}
		return permits;
	}

	void checkConstant(@Nullable Object value) {
		if (whole(value) < 1) {
			throw noCost(value);
		}
	}

	/* The value as a whole number from 0, or -1 if it is not one. */
	private static long whole(@Nullable Object value) {
		if (value instanceof Double || value instanceof Float) {
			double number = ((Number) value).doubleValue();
			return (number >= 0 && number < 0x1p63 && number == Math.rint(number)) ? (long) number : -1;
		}
		if (value instanceof BigInteger number) {
			return (number.signum() >= 0 && number.bitLength() < Long.SIZE) ? number.longValue() : -1;
		}
		if (value instanceof BigDecimal number) {
			return whole(number);
		}
		return (value instanceof Number number) ? Math.max(-1, number.longValue()) : -1;
	}

	private static long whole(BigDecimal number) {
		try {
			return Math.max(-1, number.longValueExact());
		}
		catch (ArithmeticException ex) {
			return -1;
		}
	}

	private FailedExpressionException noCost(@Nullable Object value) {
		return new FailedExpressionException(
				"The cost expression '" + this.parsed.expression().getExpressionString() + "' of "
						+ this.place.description() + " must give a whole number from 1, not " + ReadableText.of(value),
				"it gave " + ReadableText.typeOf(value) + " that is no whole number from 1");
	}

}
