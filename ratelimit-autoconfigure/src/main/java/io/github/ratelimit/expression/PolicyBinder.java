package io.github.ratelimit.expression;

import java.lang.reflect.Method;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.policy.AppliedPlace;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.request.RequestView;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.StringUtils;

/**
 * Binds policies to the places that they are applied to: parses their expressions, once.
 *
 * @since 0.1.0
 */
public final class PolicyBinder {

	private final ExpressionCompiler compiler;

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
	 * @param findings where keys are added that are always empty
	 */
	public PolicyBinder(BeanFactory beanFactory, KeyResolver defaultKey, RateLimitFindings findings) {
		this.compiler = new ExpressionCompiler(beanFactory, defaultKey, findings);
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
		return (expression == null) ? clientAddress
				: new ExpressionCompiler(beanFactory, clientAddress, new RateLimitFindings()).key(expression,
						new ExpressionPlace("the property ratelimit.key", "key", null));
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
		StoreRateLimiter limiter = StoreRateLimiter.of(policy);
		return new PolicyBinding(limiter, place(limiter, place, key, cost, condition, null),
				this.compiler.ofRule(limiter.policy(), limiter::countFailure, place, property, key, cost, condition));
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
		StoreRateLimiter limiter = StoreRateLimiter.of(policy);
		return new PolicyBinding(limiter, place(limiter, place, key, cost, condition, charge), this.compiler
			.ofMethod(limiter.policy(), limiter::countFailure, method, place, key, cost, condition, charge));
	}

	private static AppliedPlace place(StoreRateLimiter limiter, String place, @Nullable String key,
			@Nullable String cost, @Nullable String condition, @Nullable String charge) {
		AppliedPlace applied = new AppliedPlace(place, own(key, limiter.policy().key()), own(cost, null),
				own(condition, null), own(charge, limiter.policy().charge()));
		limiter.add(applied);
		return applied;
	}

	private static @Nullable String own(@Nullable String expression, @Nullable String ofPolicy) {
		return (StringUtils.hasLength(expression) && !expression.equals(ofPolicy)) ? expression : null;
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

}
