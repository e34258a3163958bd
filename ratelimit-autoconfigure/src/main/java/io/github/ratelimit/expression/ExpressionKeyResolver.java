package io.github.ratelimit.expression;

import java.security.Principal;

import io.github.ratelimit.InvalidRateLimitException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ClassUtils;

/**
 * A key from an expression.
 */
public final class ExpressionKeyResolver implements KeyResolver {

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

	/**
	 * Parses the application's default key.
	 * @param expression a key expression such as {@code clientAddress}
	 * @param beanFactory where {@code @bean} references are looked up
	 * @return the resolver
	 * @throws InvalidRateLimitException if the expression cannot be used as a default
	 */
	public static ExpressionKeyResolver of(String expression, BeanFactory beanFactory) {
		ExpressionCompiler compiler = new ExpressionCompiler(beanFactory, new ClientAddressKey());
		return compiler.key(expression, new ExpressionPlace("the property ratelimit.key", "key", null));
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
	 * What has no text of its own would be another key in each request, and no limit.
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
