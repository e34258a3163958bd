package io.github.ratelimit.expression;

import java.util.Set;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * An expression whose names are all known, and what it needs to be evaluated.
 *
 * @param expression the expression
 * @param location where it is written
 * @param evaluator computes its value
 * @param needsArguments whether it reads the method's arguments
 * @param words what it reads of the call, as far as its text shows it
 * @param principal whether it reads the authenticated user
 * @param needsRequest whether it may read anything of the request, or passes it on
 * @param callsBean whether it calls the application, which may take its time
 */
record ParsedExpression(SpelExpression expression, ExpressionLocation location,
		Function<RateLimitContext, @Nullable Object> evaluator, boolean needsArguments, Set<Word> words,
		PrincipalUse principal, boolean needsRequest, boolean callsBean) {

	@Nullable Object evaluate(RateLimitContext context) {
		return this.evaluator.apply(context);
	}

	boolean reads(String word) {
		return this.words.contains(new Word(word, ""));
	}

	/**
	 * Whether it reads something of the request, or may read it.
	 * @param word a property or function that reads it
	 */
	boolean mayRead(String word) {
		return this.needsRequest || this.words.stream()
			.anyMatch((each) -> each.text().equals(word) || (each.isOfUser() && word.equals("principal")));
	}

	/**
	 * Whether it may have something in place of what is missing.
	 */
	boolean hasChoice() {
		return ExpressionNodes.all(ast()).anyMatch((node) -> node instanceof Elvis || node instanceof Ternary);
	}

	SpelNode ast() {
		return this.expression.getAST();
	}

	String text() {
		return this.location.text();
	}

	/**
	 * Says whether an expression reads the authenticated user.
	 */
	enum PrincipalUse {

		/** It does not read the user. */
		NONE,

		/** It calls something that may read the user. */
		POSSIBLE,

		/** It reads the user. */
		CERTAIN

	}

}
