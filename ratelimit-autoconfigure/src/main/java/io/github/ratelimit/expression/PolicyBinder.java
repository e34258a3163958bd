package io.github.ratelimit.expression;

import java.lang.reflect.Method;
import java.util.EnumMap;
import java.util.Map;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.policy.AppliedPlace;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.request.RequestView;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.expression.spel.ast.StringLiteral;

/**
 * Binds policies to the places that they are applied to: parses their expressions, once.
 *
 * @since 0.1.0
 */
public final class PolicyBinder {

	private final BeanFactory beanFactory;

	private final KeyResolver defaultKey;

	private final RateLimitFindings findings;

	/**
	 * Creates a binder.
	 * @param beanFactory where {@code @bean} references are looked up
	 * @param defaultKey the key of policies that have none
	 */
	public PolicyBinder(BeanFactory beanFactory, KeyResolver defaultKey) {
		this(beanFactory, defaultKey, new RateLimitFindings());
	}

	/**
	 * Creates a binder.
	 * @param beanFactory where {@code @bean} references are looked up
	 * @param defaultKey the key of policies that have none
	 * @param findings where keys are added that are always empty, and charges that miss
	 * what they are to count
	 */
	public PolicyBinder(BeanFactory beanFactory, KeyResolver defaultKey, RateLimitFindings findings) {
		this.beanFactory = beanFactory;
		this.defaultKey = defaultKey;
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
		return (expression == null) ? new ClientAddressKey() : new ExpressionKey(ExpressionReader.read(
				new ExpressionPlace(expression, "the property ratelimit.key", RateLimitExpression.KEY, null, null),
				beanFactory));
	}

	/**
	 * Binds a policy to a rule of the web filter.
	 * @param policy enforces the policy
	 * @param place the rule, in a few words, for people to see
	 * @param property the configuration property that holds the rule
	 * @param key the key, or {@code null} for the policy's
	 * @param cost the cost, or {@code null} for 1
	 * @param condition the condition, or {@code null} for always
	 * @return the binding
	 * @throws InvalidRateLimitException if an expression cannot be used in a rule
	 */
	public PolicyBinding bindRule(RateLimiter policy, String place, String property, @Nullable String key,
			@Nullable String cost, @Nullable String condition) {
		return bind(policy, new AppliedPlace(place, key, cost, condition, null), null, property);
	}

	/**
	 * Binds a policy to a method.
	 * @param policy enforces the policy
	 * @param method the method
	 * @param place the method, in a few words, for people to see
	 * @param key the key, or an empty text for the policy's
	 * @param cost the cost, or an empty text for 1
	 * @param condition the condition, or an empty text for always
	 * @param charge the charge, or an empty text for the policy's
	 * @return the binding
	 * @throws InvalidRateLimitException if an expression cannot be used there
	 */
	public PolicyBinding bindMethod(RateLimiter policy, Method method, String place, String key, String cost,
			String condition, String charge) {
		return bind(policy, new AppliedPlace(place, written(key), written(cost), written(condition), written(charge)),
				method, null);
	}

	private static @Nullable String written(String attribute) {
		return attribute.isEmpty() ? null : attribute;
	}

	/* A place has expressions of its own, or else those of the policy. */
	private PolicyBinding bind(RateLimiter policy, AppliedPlace written, @Nullable Method method,
			@Nullable String property) {
		StoreRateLimiter limiter = StoreRateLimiter.of(policy);
		Expressions expressions = new Expressions(this, limiter.policy(), written.place(), method, property,
				new EnumMap<>(RateLimitExpression.class));
		AppliedPlace place = new AppliedPlace(written.place(), own(written.key(), limiter.policy().key()),
				written.cost(), written.condition(), own(written.charge(), limiter.policy().charge()));
		limiter.add(place);
		KeyResolver key = expressions.key(written.key());
		expressions.charge(written.charge(), key);
		expressions.add(RateLimitExpression.COST, written.cost(), null);
		expressions.add(RateLimitExpression.CONDITION, written.condition(), null);
		expressions.add(RateLimitExpression.PLAN, null, limiter.policy().plan());
		ExpressionFailures failures = new ExpressionFailures(limiter, written.place(), expressions.parsed);
		return new PolicyBinding(limiter, place, new CallKey(key, failures, this.findings, null), expressions.parsed,
				failures);
	}

	private static @Nullable String own(@Nullable String expression, @Nullable String ofPolicy) {
		return (expression != null && !expression.equals(ofPolicy)) ? expression : null;
	}

	/**
	 * The expressions of a policy at one place.
	 */
	private record Expressions(PolicyBinder binder, RateLimitPolicy policy, String place, @Nullable Method method,
			@Nullable String property, Map<RateLimitExpression, ParsedExpression> parsed) {

		@Nullable ParsedExpression add(RateLimitExpression purpose, @Nullable String own, @Nullable String ofPolicy) {
			String text = (own != null) ? own : ofPolicy;
			if (text == null) {
				return null;
			}
			boolean alone = own != null && this.property != null;
			ExpressionPlace where = new ExpressionPlace(text,
					(own != null) ? this.place : "the policy '" + this.policy.name() + "', applied to " + this.place,
					purpose, this.method, alone ? this.property + "." + purpose.id() : null);
			ParsedExpression read = ExpressionReader.read(where, this.binder.beanFactory);
			this.parsed.put(purpose, read);
			return read;
		}

		KeyResolver key(@Nullable String own) {
			ParsedExpression read = add(RateLimitExpression.KEY, own, this.policy.key());
			if (read != null) {
				return new ExpressionKey(read);
			}
			if (this.binder.defaultKey instanceof ExpressionKey expression) {
				this.parsed.put(RateLimitExpression.KEY, expression.parsed());
			}
			return this.binder.defaultKey;
		}

		void charge(@Nullable String own, KeyResolver key) {
			ParsedExpression charge = add(RateLimitExpression.CHARGE, own, this.policy.charge());
			if (charge == null) {
				return;
			}
			String name = this.policy.name();
			if (KnownTypes.isOfOneStatus(charge.ast())) {
				this.binder.findings.report(FindingCode.ONE_STATUS_CHARGED, name, name + charge.text(),
						"The charge '" + charge.text() + "' of the policy '" + name
								+ "' counts one status, and clients can have the same failure answered with another, "
								+ "such as a 406 by sending Accept: image/png.");
			}
			// Where the login reads the name elsewhere, a key that is missing would leave
			// it to the address, and a guesser has many of these.
			if (charge.reads("authenticationFailed") && key instanceof ExpressionKey expression
					&& ExpressionNodes.mayBeMissing(expression.parsed().ast())) {
				this.binder.findings.report(FindingCode.NAMELESS_LOGIN, name, this.place,
						"The key of " + this.place + " may be missing in a request, whose failed logins count for the "
								+ "client's address then.");
			}
		}

	}

	/**
	 * The client's address as the key, as {@code clientAddress} evaluates to. The default
	 * of most applications, for which SpEL is not loaded.
	 */
	static final class ClientAddressKey implements KeyResolver {

		@Override
		public @Nullable String resolveKey(RateLimitContext context) {
			RequestView request = context.request();
			return (request != null) ? request.clientAddress() : null;
		}

		@Override
		public boolean needsPrincipal() {
			return false;
		}

	}

	/**
	 * A key that an expression computes.
	 */
	record ExpressionKey(ParsedExpression parsed) implements KeyResolver {

		@Override
		public @Nullable String resolveKey(RateLimitContext context) {
			Object value = this.parsed.evaluate(context);
			return (value instanceof KeyResolver resolver) ? resolver.resolveKey(context)
					: KeyText.of(value, this.parsed.text());
		}

		/**
		 * The key that a literal text always gives, or {@code null}.
		 */
		@Nullable String constant() {
			boolean literal = this.parsed.ast() instanceof StringLiteral;
			return (literal && this.parsed.expression().getValue() instanceof String text && !text.isEmpty())
					? KeyNormalizer.of(text) : null;
		}

		@Override
		public boolean needsPrincipal() {
			return this.parsed.principal() != ParsedExpression.PrincipalUse.NONE;
		}

	}

}
