package io.github.ratelimit.expression;

import org.jspecify.annotations.Nullable;

/**
 * Computes an expression's value for one call.
 */
@FunctionalInterface
interface Evaluator {

	/**
	 * Computes the value.
	 * @param context the call
	 * @return the value
	 */
	@Nullable Object evaluate(RateLimitContext context);

}
