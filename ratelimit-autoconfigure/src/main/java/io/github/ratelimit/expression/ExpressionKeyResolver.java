package io.github.ratelimit.expression;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.ast.StringLiteral;

/**
 * A key that an expression computes.
 */
final class ExpressionKeyResolver implements KeyResolver {

	private final Evaluator evaluator;

	private final ParsedExpression parsed;

	ExpressionKeyResolver(ParsedExpression parsed, Evaluator evaluator) {
		this.parsed = parsed;
		this.evaluator = evaluator;
	}

	@Override
	public @Nullable String resolveKey(RateLimitContext context) {
		Object value = this.evaluator.evaluate(context);
		if (value instanceof KeyResolver resolver) {
			return resolver.resolveKey(context);
		}
		return KeyText.of(value, this.parsed.expression().getExpressionString());
	}

	/**
	 * The key that the expression always gives.
	 * @return the key, or {@code null} if the expression is not a literal text
	 */
	@Nullable String constant() {
		boolean literal = this.parsed.expression().getAST() instanceof StringLiteral;
		return (literal && this.parsed.expression().getValue() instanceof String text && !text.isEmpty()) ? text : null;
	}

	@Override
	public boolean needsPrincipal() {
		return principal() != PrincipalUse.NONE;
	}

	PrincipalUse principal() {
		return this.parsed.principal();
	}

	ParsedExpression parsed() {
		return this.parsed;
	}

	boolean needsArguments() {
		return this.parsed.needsArguments();
	}

}
