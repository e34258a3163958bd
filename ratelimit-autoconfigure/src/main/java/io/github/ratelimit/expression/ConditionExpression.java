package io.github.ratelimit.expression;

import io.github.ratelimit.ReadableText;
import org.jspecify.annotations.Nullable;

/**
 * A condition: whether a call is limited at all.
 */
record ConditionExpression(ParsedExpression parsed, Evaluator evaluator, ExpressionPlace place) {

	/*
	 * A condition of null holds, so that an unknown value, such as whether an anonymous
	 * user is an administrator, lets no call through.
	 */
	boolean evaluate(RateLimitContext context) {
		Object value = this.evaluator.evaluate(context);
		return value == null || of(value);
	}

	boolean of(@Nullable Object value) {
		if (value instanceof Boolean condition) {
			return condition;
		}
		throw new FailedExpressionException(
				"The condition '" + this.parsed.expression().getExpressionString() + "' of " + this.place.description()
						+ " must be true or false, not " + ReadableText.of(value),
				"it gave " + ReadableText.typeOf(value) + " in place of true or false");
	}

}
