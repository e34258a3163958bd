package io.github.ratelimit.expression;

import java.lang.reflect.Method;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFindings;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.Operator;
import org.springframework.expression.spel.ast.StringLiteral;

/**
 * Compiles the expressions of keys, costs, conditions, charges and plans.
 */
final class ExpressionCompiler {

	private final BeanFactory beanFactory;

	private final KeyResolver defaultKey;

	private final RateLimitFindings findings;

	/**
	 * Creates a compiler.
	 * @param beanFactory where {@code @bean} references are looked up
	 * @param defaultKey the key of policies that have none
	 * @param findings where keys are added that are always empty, and charges that miss
	 * what they are to count
	 */
	ExpressionCompiler(BeanFactory beanFactory, KeyResolver defaultKey, RateLimitFindings findings) {
		this.beanFactory = beanFactory;
		this.defaultKey = defaultKey;
		this.findings = findings;
	}

	/**
	 * Compiles the expressions of a policy that a rule applies.
	 * @param policy the policy
	 * @param failureCount counts the expressions that fail
	 * @param place a short description of the rule
	 * @param property the configuration property that holds the rule
	 * @param key the key, or {@code null} for the policy's
	 * @param cost the cost, or {@code null} for 1
	 * @param condition the condition, or {@code null} for always
	 * @return the expressions
	 * @throws InvalidRateLimitException if an expression cannot be used in a rule
	 */
	CallExpressions ofRule(RateLimitPolicy policy, Consumer<RateLimitExpression> failureCount, String place,
			String property, @Nullable String key, @Nullable String cost, @Nullable String condition) {
		KeyResolver resolver = (key != null) ? key(key, ruleAttribute(place, "key", property))
				: key(policy, "", place, null);
		ParsedExpression charge = charge(policy, "", place, null);
		lookAtLogin(policy, resolver, charge, place);
		return new CallExpressions(policy.name(), failureCount, place, resolver,
				(cost != null) ? cost(cost, ruleAttribute(place, "cost", property)) : null,
				(condition != null) ? condition(condition, ruleAttribute(place, "condition", property)) : null, charge,
				plan(policy, place, null), this.findings, null);
	}

	private static ExpressionPlace ruleAttribute(String place, String attribute, String property) {
		return new ExpressionPlace(place, attribute, null, property + "." + attribute);
	}

	/**
	 * Compiles the expressions of a policy that applies to a method.
	 * @param policy the policy
	 * @param failureCount counts the expressions that fail
	 * @param method the method
	 * @param place a short description of the method
	 * @param key the key, or an empty text for the policy's
	 * @param cost the cost, or an empty text for 1
	 * @param condition the condition, or an empty text for always
	 * @param charge the charge, or an empty text for the policy's
	 * @return the expressions
	 * @throws InvalidRateLimitException if an expression cannot be used there
	 */
	CallExpressions ofMethod(RateLimitPolicy policy, Consumer<RateLimitExpression> failureCount, Method method,
			String place, String key, String cost, String condition, String charge) {
		KeyResolver resolver = key(policy, key, place, method);
		ParsedExpression charged = charge(policy, charge, place, method);
		lookAtLogin(policy, resolver, charged, place);
		return new CallExpressions(policy.name(), failureCount, place, resolver,
				cost.isEmpty() ? null : cost(cost, new ExpressionPlace(place, "cost", method)),
				condition.isEmpty() ? null : condition(condition, new ExpressionPlace(place, "condition", method)),
				charged, plan(policy, place, method), this.findings, null);
	}

	/*
	 * Where the login reads the name elsewhere, a key that is missing would leave it to
	 * the address, and a guesser has many of these.
	 */
	private void lookAtLogin(RateLimitPolicy policy, KeyResolver key, @Nullable ParsedExpression charge, String place) {
		if (charge != null && charge.needsAuthentication() && key instanceof ExpressionKeyResolver expression
				&& NodeNames.mayBeMissing(expression.parsed().ast())) {
			this.findings.report(FindingCode.NAMELESS_LOGIN, policy.name(), place, "The key of " + place
					+ " may be missing in a request, whose failed logins count for the client's " + "address then.");
		}
	}

	private @Nullable ParsedExpression plan(RateLimitPolicy policy, String place, @Nullable Method method) {
		String plan = policy.plan();
		if (plan == null) {
			return null;
		}
		ExpressionPlace of = new ExpressionPlace("the policy '" + policy.name() + "', applied to " + place, "plan",
				method);
		return read(plan, of);
	}

	private @Nullable ParsedExpression charge(RateLimitPolicy policy, String charge, String place,
			@Nullable Method method) {
		String text = charge.isEmpty() ? policy.charge() : charge;
		if (text == null) {
			return null;
		}
		String of = charge.isEmpty() ? "the policy '" + policy.name() + "', applied to " + place : place;
		ParsedExpression compiled = charge(text, new ExpressionPlace(of, "charge", method));
		if (KnownValues.isOfOneStatus(compiled.ast())) {
			this.findings.report(FindingCode.ONE_STATUS_CHARGED, policy.name(), policy.name() + text, "The charge '"
					+ text + "' of the policy '" + policy.name()
					+ "' counts one status, and clients can have the same failure answered with another, such as a "
					+ "406 by sending Accept: image/png.");
		}
		return compiled;
	}

	private KeyResolver key(RateLimitPolicy policy, String key, String place, @Nullable Method method) {
		if (!key.isEmpty()) {
			return key(key, new ExpressionPlace(place, "key", method));
		}
		String policyKey = policy.key();
		if (policyKey != null) {
			return key(policyKey,
					new ExpressionPlace("the policy '" + policy.name() + "', applied to " + place, "key", method));
		}
		return this.defaultKey;
	}

	ExpressionKeyResolver key(String text, ExpressionPlace place) {
		ParsedExpression parsed = read(text, place);
		KnownValues.checkKey(parsed);
		return new ExpressionKeyResolver(parsed);
	}

	private ParsedExpression cost(String text, ExpressionPlace place) {
		return checkConstant(read(text, place), ExpressionValues::checkConstantCost,
				"Write a whole number from 1, or an expression that gives one, such as #items.size().");
	}

	private ParsedExpression condition(String text, ExpressionPlace place) {
		return checkConstant(read(text, place), ExpressionValues::condition,
				"Write an expression that is true or false, such as header('X-Internal') == null.");
	}

	private ParsedExpression charge(String text, ExpressionPlace place) {
		ParsedExpression parsed = read(text, place);
		KnownValues.checkCharge(parsed);
		return checkConstant(parsed, (charge, value) -> ExpressionValues.charge(charge, value, 1),
				KnownValues.CHARGE_REMEDY);
	}

	private ParsedExpression read(String text, ExpressionPlace place) {
		return ExpressionReader.read(text, place, this.beanFactory);
	}

	private static ParsedExpression checkConstant(ParsedExpression parsed,
			BiConsumer<ParsedExpression, @Nullable Object> check, String action) {
		if (isConstant(parsed.ast())) {
			try {
				check.accept(parsed, parsed.expression().getValue());
			}
			catch (RuntimeException ex) {
				throw parsed.place().invalid(parsed.text(), "has the wrong type or range", action, ex);
			}
		}
		return parsed;
	}

	private static boolean isConstant(SpelNode node) {
		if (node instanceof Literal) {
			return true;
		}
		return node instanceof Operator && IntStream.range(0, node.getChildCount())
			.mapToObj(node::getChild)
			.allMatch(ExpressionCompiler::isConstant);
	}

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
			return (literal && this.parsed.expression().getValue() instanceof String text && !text.isEmpty()) ? text
					: null;
		}

		@Override
		public boolean needsPrincipal() {
			return this.parsed.principal() != ParsedExpression.PrincipalUse.NONE;
		}

	}

}
