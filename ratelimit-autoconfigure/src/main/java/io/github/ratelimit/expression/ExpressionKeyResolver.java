package io.github.ratelimit.expression;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.ast.StringLiteral;

/**
 * A key that an expression computes.
 */
record ExpressionKeyResolver(ParsedExpression parsed) implements KeyResolver {

	@Override
	public @Nullable String resolveKey(RateLimitContext context) {
		Object value = this.parsed.evaluate(context);
		return (value instanceof KeyResolver resolver) ? resolver.resolveKey(context)
				: KeyText.of(value, this.parsed.text());
	}

	/**
	 * The key that the expression always gives.
	 * @return the key, or {@code null} if the expression is not a literal text
	 */
	@Nullable String constant() {
		boolean literal = this.parsed.ast() instanceof StringLiteral;
		return (literal && this.parsed.expression().getValue() instanceof String text && !text.isEmpty()) ? text : null;
	}

	@Override
	public boolean needsPrincipal() {
		return this.parsed.principal() != PrincipalUse.NONE;
	}

}
