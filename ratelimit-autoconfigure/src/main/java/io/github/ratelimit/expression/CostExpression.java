package io.github.ratelimit.expression;

import org.jspecify.annotations.Nullable;

/**
 * How many permits a call costs.
 */
record CostExpression(ParsedExpression parsed, Evaluator evaluator, ExpressionPlace place) {

	long evaluate(RateLimitContext context) {
		return of(this.evaluator.evaluate(context));
	}

	long of(@Nullable Object value) {
		if (value instanceof Number number && number.longValue() >= 0 && number.doubleValue() == number.longValue()) {
			return number.longValue();
		}
		throw new IllegalStateException(
				"The cost expression '" + this.parsed.expression().getExpressionString() + "' of "
						+ this.place.description() + " must give a whole number from 0, not " + ReadableText.of(value));
	}

}
