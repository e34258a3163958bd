package io.github.ratelimit.expression;

import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * An expression whose names are all known, and what it needs to be evaluated.
 *
 * @param expression the expression
 * @param place where it is written
 * @param evaluator computes its value
 * @param needsArguments whether it reads the method's arguments
 * @param words the properties of the root object that it reads
 * @param principal whether it reads the authenticated user
 * @param ofRequest what it reads of the request
 */
record ParsedExpression(SpelExpression expression, ExpressionPlace place, Evaluator evaluator, boolean needsArguments,
		Set<String> words, PrincipalUse principal, RequestReads ofRequest) {

	@Nullable Object evaluate(RateLimitContext context) {
		return this.evaluator.evaluate(context);
	}

	boolean reads(String word) {
		return this.words.contains(word);
	}

	SpelNode ast() {
		return this.expression.getAST();
	}

	String text() {
		return this.place.text();
	}

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

	/**
	 * Whether an expression reads the authenticated user.
	 */
	enum PrincipalUse {

		/** It does not. */
		NONE,

		/** It calls something that may. */
		POSSIBLE,

		/** It does. */
		CERTAIN

	}

}
