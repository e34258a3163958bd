package io.github.ratelimit.expression;

import java.util.Objects;

import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.FirstRequestsCheck;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.request.RequestView;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.ast.StringLiteral;

/**
 * The key of a policy's calls at one location. Within a request, a key that is empty or
 * fails is the client's address, so that no client is let through and none shares a
 * budget with all others.
 */
final class CallKey {

	/*
	 * There is one of the two, or neither if the key is found elsewhere, or is the
	 * client's address.
	 */
	private final @Nullable ParsedExpression expression;

	private final @Nullable KeyResolver resolver;

	private final ExpressionFailures failures;

	private final RateLimitFindings findings;

	/* The key that no call can change, or null if calls may have different ones. */
	final @Nullable String constant;

	private final FirstRequestsCheck check = new FirstRequestsCheck();

	CallKey(@Nullable ParsedExpression expression, @Nullable KeyResolver resolver, ExpressionFailures failures,
			RateLimitFindings findings) {
		this.expression = expression;
		this.resolver = resolver;
		this.failures = failures;
		this.findings = findings;
		this.constant = constant(expression);
	}

	private static @Nullable String constant(@Nullable ParsedExpression expression) {
		if (expression == null || !(expression.ast() instanceof StringLiteral)) {
			return null;
		}
		if (expression.expression().getValue() instanceof String text && !text.isEmpty()) {
			return KeyNormalizer.of(text);
		}
		return null;
	}

	/**
	 * Whether a {@link KeyResolver} finds the key, which may read anything.
	 */
	boolean isResolved() {
		if (this.expression != null) {
			return ExpressionNodes.mayGiveBean(this.expression.ast());
		}
		return this.resolver != null;
	}

	boolean needsPrincipal() {
		if (this.expression != null) {
			return this.expression.principal() != ParsedExpression.PrincipalUse.NONE;
		}
		return this.resolver != null && this.resolver.needsPrincipal();
	}

	/**
	 * Computes the key of a call.
	 * @return the key that the state is held under
	 * @throws RuntimeException if the expression fails outside of a request
	 */
	String of(RateLimitContext context) {
		if (this.constant != null) {
			return this.constant;
		}
		RequestView request = context.request;
		if (this.expression == null && this.resolver == null) {
			return (request != null) ? request.clientAddress() : KeyNormalizer.SHARED;
		}

		String key = resolve(context);
		return ofFound(Objects.requireNonNullElse(key, ""), context);
	}

	/**
	 * Returns the key of a call for what was found.
	 * @param found the key, or an empty text
	 * @return the key that the state is held under
	 */
	String ofFound(String found, RateLimitContext context) {
		if (!found.isEmpty()) {
			this.check.record(true, true);
			return KeyNormalizer.of(found);
		}

		RequestView request = context.request;
		if (request == null) {
			return KeyNormalizer.SHARED;
		}
		if (!this.check.isOver() && this.check.record(false, isOfClient(request))) {
			reportEmptyKeys();
		}
		return KeyNormalizer.ofAddress(request.clientAddress());
	}

	/* A regular expression can overflow the stack on a long text. */
	private @Nullable String resolve(RateLimitContext context) {
		try {
			ParsedExpression expression = this.expression;
			Object value = (expression != null) ? expression.evaluate(context) : this.resolver;
			if (value instanceof KeyResolver resolver) {
				return resolver.resolveKey(context);
			}
			if (expression != null) {
				return KeyText.of(value, expression.location());
			}
			return null;
		}
		catch (RuntimeException | StackOverflowError ex) {
			this.failures.record(RateLimitExpression.KEY, ex, context);
			return null;
		}
	}

	/*
	 * Platforms probe an application with requests that only read.
	 */
	private static boolean isOfClient(RequestView request) {
		return !request.isReading() || FirstRequestsCheck.isOfClient((name) -> request.header(name) != null);
	}

	private void reportEmptyKeys() {
		String policy = this.failures.policy();
		String location = this.failures.location;
		String early = "";
		if (needsPrincipal()) {
			early = " If it reads the user, and a rule runs before Spring Security, set its phase to after-security.";
		}
		this.findings.report(FindingCode.KEY_ALWAYS_EMPTY, policy, location + policy,
				"The key of " + location + " (policy '" + policy
						+ "') was empty for each of its first hundred requests of clients, so that they are limited by "
						+ "address." + early);
	}

}
