package io.github.ratelimit.expression;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;

/**
 * A key from an expression.
 */
public final class ExpressionKeyResolver implements KeyResolver {

	private final Evaluator evaluator;

	private final ParsedExpression parsed;

	ExpressionKeyResolver(ParsedExpression parsed, Evaluator evaluator) {
		this.parsed = parsed;
		this.evaluator = evaluator;
	}

	/**
	 * Parses the application's default key.
	 * @param expression a key expression such as {@code clientAddress}
	 * @param beanFactory where {@code @bean} references are looked up
	 * @return the resolver
	 * @throws InvalidExpressionException if the expression cannot be used as a default
	 */
	public static ExpressionKeyResolver of(String expression, BeanFactory beanFactory) {
		ExpressionCompiler compiler = new ExpressionCompiler(beanFactory);
		return compiler.key(expression, new ExpressionPlace("the property ratelimit.key", "key", null));
	}

	@Override
	public @Nullable String resolveKey(RateLimitContext context) {
		Object value = this.evaluator.evaluate(context);
		if (value instanceof KeyResolver resolver) {
			return resolver.resolveKey(context);
		}
		return (value != null) ? value.toString() : null;
	}

	@Override
	public boolean needsPrincipal() {
		return this.parsed.needsPrincipal();
	}

	boolean needsArguments() {
		return this.parsed.needsArguments();
	}

}
