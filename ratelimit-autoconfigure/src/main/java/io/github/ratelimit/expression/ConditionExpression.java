package io.github.ratelimit.expression;

import org.jspecify.annotations.Nullable;

/**
 * Whether a call is limited at all.
 */
record ConditionExpression(ParsedExpression parsed, Evaluator evaluator, ExpressionPlace place) {

	boolean evaluate(RateLimitContext context) {
		return of(this.evaluator.evaluate(context));
	}

	boolean of(@Nullable Object value) {
		if (value instanceof Boolean condition) {
			return condition;
		}
		throw new IllegalStateException("The condition '" + this.parsed.expression().getExpressionString() + "' of "
				+ this.place.description() + " must be true or false, not " + value);
	}

}
