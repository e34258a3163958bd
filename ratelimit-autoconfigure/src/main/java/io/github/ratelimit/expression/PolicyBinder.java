package io.github.ratelimit.expression;

import java.lang.reflect.Method;

import io.github.ratelimit.PolicyLimiter;

import org.springframework.beans.factory.BeanFactory;

/**
 * Binds policies to the places that they are applied to: parses their expressions, once.
 */
public final class PolicyBinder {

	/**
	 * Creates a binder.
	 * @param beanFactory where {@code @bean} references are looked up
	 * @param defaultKey the key of policies that have none
	 */
	public PolicyBinder(BeanFactory beanFactory, KeyResolver defaultKey) {
	}

	/**
	 * Binds a policy to a rule of the web filter.
	 * @param limiter enforces the policy
	 * @param place the rule, in a few words, for people to see
	 * @return the binding
	 * @throws InvalidExpressionException if the policy's key cannot be used in a rule
	 */
	public PolicyBinding bindRule(PolicyLimiter limiter, String place) {
		throw new UnsupportedOperationException();
	}

	/**
	 * Binds a policy to a method.
	 * @param limiter enforces the policy
	 * @param method the method
	 * @param key the key, or an empty text for the policy's
	 * @param cost the cost, or an empty text for 1
	 * @param condition the condition, or an empty text for always
	 * @return the binding
	 * @throws InvalidExpressionException if an expression cannot be used there
	 */
	public PolicyBinding bindMethod(PolicyLimiter limiter, Method method, String key, String cost, String condition) {
		throw new UnsupportedOperationException();
	}

}
