package io.github.ratelimit.expression;

import java.lang.reflect.Method;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFindings;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.Operator;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * Compiles the expressions of keys, costs, conditions, charges and plans.
 *
 * @since 0.1.0
 */
public final class ExpressionCompiler {

	private final BeanFactory beanFactory;

	private final KeyResolver defaultKey;

	private final BeanResolver beans;

	private final RateLimitFindings findings;

	/**
	 * Creates a compiler.
	 * @param beanFactory where {@code @bean} references are looked up
	 * @param defaultKey the key of policies that have none
	 */
	public ExpressionCompiler(BeanFactory beanFactory, KeyResolver defaultKey) {
		this(beanFactory, defaultKey, new RateLimitFindings());
	}

	/**
	 * Creates a compiler.
	 * @param beanFactory where {@code @bean} references are looked up
	 * @param defaultKey the key of policies that have none
	 * @param findings where keys are added that are always empty, and charges that miss
	 * what they are to count
	 */
	public ExpressionCompiler(BeanFactory beanFactory, KeyResolver defaultKey, RateLimitFindings findings) {
		this.beanFactory = beanFactory;
		this.defaultKey = defaultKey;
		this.beans = new BeanFactoryResolver(beanFactory);
		this.findings = findings;
	}

	/**
	 * Compiles the application's default key.
	 * @param expression a key expression such as {@code principal.name}, or {@code null}
	 * for the client's address
	 * @param beanFactory where {@code @bean} references are looked up
	 * @return the resolver
	 * @throws InvalidRateLimitException if the expression cannot be used as a default
	 */
	public static KeyResolver defaultKey(@Nullable String expression, BeanFactory beanFactory) {
		ClientAddressKey clientAddress = new ClientAddressKey();
		return (expression == null) ? clientAddress : new ExpressionCompiler(beanFactory, clientAddress).key(expression,
				new ExpressionPlace("the property ratelimit.key", "key", null));
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
	public CallExpressions ofRule(RateLimitPolicy policy, Consumer<RateLimitExpression> failureCount, String place,
			String property, @Nullable String key, @Nullable String cost, @Nullable String condition) {
		KeyResolver resolver = (key != null) ? key(key, ruleAttribute(place, "key", property))
				: key(policy, "", place, null);
		ChargeExpression charge = charge(policy, "", place, null);
		lookAtLogin(policy, resolver, charge, place);
		return new CallExpressions(policy.name(), failureCount, place, resolver,
				(cost != null) ? cost(cost, ruleAttribute(place, "cost", property)) : null,
				(condition != null) ? condition(condition, ruleAttribute(place, "condition", property)) : null, charge,
				plan(policy, place, null), this.findings);
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
	public CallExpressions ofMethod(RateLimitPolicy policy, Consumer<RateLimitExpression> failureCount, Method method,
			String place, String key, String cost, String condition, String charge) {
		KeyResolver resolver = key(policy, key, place, method);
		ChargeExpression charged = charge(policy, charge, place, method);
		lookAtLogin(policy, resolver, charged, place);
		return new CallExpressions(policy.name(), failureCount, place, resolver,
				cost.isEmpty() ? null : cost(cost, new ExpressionPlace(place, "cost", method)),
				condition.isEmpty() ? null : condition(condition, new ExpressionPlace(place, "condition", method)),
				charged, plan(policy, place, method), this.findings);
	}

	/*
	 * Where the login reads the name elsewhere, a key that is missing would leave it to
	 * the address, and a guesser has many of these.
	 */
	private void lookAtLogin(RateLimitPolicy policy, KeyResolver key, @Nullable ChargeExpression charge, String place) {
		if (charge != null && charge.parsed().needsAuthentication() && key instanceof ExpressionKeyResolver expression
				&& NodeNames.mayBeMissing(expression.parsed().expression().getAST())) {
			this.findings.report(FindingCode.NAMELESS_LOGIN, policy.name(), place, "The key of " + place
					+ " may be missing in a request, whose failed logins count for the client's " + "address then.");
		}
	}

	private @Nullable PlanExpression plan(RateLimitPolicy policy, String place, @Nullable Method method) {
		String plan = policy.plan();
		if (plan == null) {
			return null;
		}
		ExpressionPlace of = new ExpressionPlace("the policy '" + policy.name() + "', applied to " + place, "plan",
				method);
		ParsedExpression parsed = ExpressionReader.read(plan, of, this.beanFactory);
		return PlanExpression.of(parsed, evaluator(parsed, of));
	}

	private @Nullable ChargeExpression charge(RateLimitPolicy policy, String charge, String place,
			@Nullable Method method) {
		String text = charge.isEmpty() ? policy.charge() : charge;
		if (text == null) {
			return null;
		}
		String of = charge.isEmpty() ? "the policy '" + policy.name() + "', applied to " + place : place;
		ChargeExpression compiled = charge(text, new ExpressionPlace(of, "charge", method));
		if (KnownChargeType.isOfOneStatus(compiled.parsed().expression().getAST())) {
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
		ParsedExpression parsed = ExpressionReader.read(text, place, this.beanFactory);
		KnownKeyType.check(parsed.expression().getAST(), text, place);
		return new ExpressionKeyResolver(parsed, evaluator(parsed, place));
	}

	CostExpression cost(String text, ExpressionPlace place) {
		ParsedExpression parsed = ExpressionReader.read(text, place, this.beanFactory);
		CostExpression cost = new CostExpression(parsed, evaluator(parsed, place), place);
		checkConstant(parsed.expression(), cost::checkConstant, text, place,
				"Write a whole number from 1, or an expression that gives one, such as #items.size().");
		return cost;
	}

	ConditionExpression condition(String text, ExpressionPlace place) {
		ParsedExpression parsed = ExpressionReader.read(text, place, this.beanFactory);
		ConditionExpression condition = new ConditionExpression(parsed, evaluator(parsed, place), place);
		checkConstant(parsed.expression(), condition::of, text, place,
				"Write an expression that is true or false, such as header('X-Internal') == null.");
		return condition;
	}

	ChargeExpression charge(String text, ExpressionPlace place) {
		ParsedExpression parsed = ExpressionReader.read(text, place, this.beanFactory);
		ChargeExpression charge = new ChargeExpression(parsed, evaluator(parsed, place), place,
				RequestReads.find(parsed.expression().getAST()));
		KnownChargeType.check(parsed.expression().getAST(), text, place);
		checkConstant(parsed.expression(), charge::check, text, place, KnownChargeType.REMEDY);
		return charge;
	}

	private Evaluator evaluator(ParsedExpression parsed, ExpressionPlace place) {
		Evaluator shortcut = Shortcuts.find(parsed.expression().getAST());
		return (shortcut != null) ? shortcut : new SpelEvaluator(parsed.expression(), place, this.beans);
	}

	private static void checkConstant(SpelExpression expression, ConstantCheck check, String text,
			ExpressionPlace place, String action) {
		if (isConstant(expression.getAST())) {
			try {
				check.accept(expression.getValue());
			}
			catch (RuntimeException ex) {
				throw place.invalid(text, "has the wrong type or range", action, ex);
			}
		}
	}

	private static boolean isConstant(SpelNode node) {
		if (node instanceof Literal) {
			return true;
		}
		return node instanceof Operator && IntStream.range(0, node.getChildCount())
			.mapToObj(node::getChild)
			.allMatch(ExpressionCompiler::isConstant);
	}

	@FunctionalInterface
	private interface ConstantCheck {

		void accept(@Nullable Object value);

	}

}
