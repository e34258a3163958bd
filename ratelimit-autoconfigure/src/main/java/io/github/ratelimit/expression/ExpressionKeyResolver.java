package io.github.ratelimit.expression;

import java.security.Principal;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.util.ClassUtils;

/**
 * A key that an expression computes.
 */
final class ExpressionKeyResolver implements KeyResolver {

	private static final ClassValue<Boolean> NAMELESS = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			return type.isArray() || ClassUtils.getMethod(type, "toString").getDeclaringClass() == Object.class;
		}

	};

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
		if (value instanceof Principal principal) {
			return principal.getName();
		}
		return (value != null) ? text(value) : null;
	}

	/*
	 * The default text of an object would be a new key for each request, and so no limit.
	 */
	private String text(Object value) {
		if (value instanceof String text) {
			return text;
		}
		if (NAMELESS.get(value.getClass())) {
			String reason = "gave " + ReadableText.typeOf(value) + ", which has no text of its own";
			throw new FailedExpressionException(
					"The key expression '" + this.parsed.expression().getExpressionString() + "' " + reason,
					"it " + reason);
		}
		return value.toString();
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

	boolean needsArguments() {
		return this.parsed.needsArguments();
	}

}
