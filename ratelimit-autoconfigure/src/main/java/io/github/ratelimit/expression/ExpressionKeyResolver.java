package io.github.ratelimit.expression;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;

/**
 * The application's default key, from an expression.
 */
public final class ExpressionKeyResolver implements KeyResolver {

	private ExpressionKeyResolver() {
	}

	/**
	 * Parses the expression.
	 * @param expression a key expression such as {@code clientAddress}
	 * @param beanFactory where {@code @bean} references are looked up
	 * @return the resolver
	 * @throws InvalidExpressionException if the expression cannot be used as a default
	 */
	public static ExpressionKeyResolver of(String expression, BeanFactory beanFactory) {
		throw new UnsupportedOperationException();
	}

	@Override
	public @Nullable String resolveKey(RateLimitContext context) {
		throw new UnsupportedOperationException();
	}

}
