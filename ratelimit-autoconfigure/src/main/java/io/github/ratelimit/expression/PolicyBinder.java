package io.github.ratelimit.expression;

import java.lang.reflect.Method;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.PolicyLimiter;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;

/**
 * Binds policies to the places that they are applied to: parses their expressions, once.
 */
public final class PolicyBinder {

	private final ExpressionCompiler compiler;

	private final KeyResolver defaultKey;

	/**
	 * Creates a binder.
	 * @param beanFactory where {@code @bean} references are looked up
	 * @param defaultKey the key of policies that have none
	 */
	public PolicyBinder(BeanFactory beanFactory, KeyResolver defaultKey) {
		this.compiler = new ExpressionCompiler(beanFactory);
		this.defaultKey = defaultKey;
	}

	/**
	 * Binds a policy to a rule of the web filter.
	 * @param limiter enforces the policy
	 * @param place the rule, in a few words, for people to see
	 * @return the binding
	 * @throws InvalidRateLimitException if the policy's key cannot be used in a rule
	 */
	public PolicyBinding bindRule(PolicyLimiter limiter, String place) {
		limiter.addAppliedTo(place);
		return new PolicyBinding(limiter, place, key(limiter, "", place, null), null, null);
	}

	/**
	 * Binds a policy to a method.
	 * @param limiter enforces the policy
	 * @param method the method
	 * @param place the method, in a few words, for people to see
	 * @param key the key, or an empty text for the policy's
	 * @param cost the cost, or an empty text for 1
	 * @param condition the condition, or an empty text for always
	 * @return the binding
	 * @throws InvalidRateLimitException if an expression cannot be used there
	 */
	public PolicyBinding bindMethod(PolicyLimiter limiter, Method method, String place, String key, String cost,
			String condition) {
		limiter.addAppliedTo(place);
		return new PolicyBinding(limiter, place, key(limiter, key, place, method),
				cost.isEmpty() ? null : this.compiler.cost(cost, new ExpressionPlace(place, "cost", method)),
				condition.isEmpty() ? null
						: this.compiler.condition(condition, new ExpressionPlace(place, "condition", method)));
	}

	private KeyResolver key(PolicyLimiter limiter, String key, String place, @Nullable Method method) {
		if (!key.isEmpty()) {
			return this.compiler.key(key, new ExpressionPlace(place, "key", method));
		}
		String policyKey = limiter.policy().key();
		if (policyKey != null) {
			return this.compiler.key(policyKey, new ExpressionPlace(
					"the policy '" + limiter.policy().name() + "', applied to " + place, "key", method));
		}
		return this.defaultKey;
	}

}
