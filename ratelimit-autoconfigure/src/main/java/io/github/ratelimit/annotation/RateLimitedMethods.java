package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.util.List;

import io.github.ratelimit.expression.PolicyBinding;

/**
 * What {@link RateLimited} says of each method, read once: its policies, registered, and
 * what a call asks of them.
 */
public final class RateLimitedMethods {

	/**
	 * Finds the limits of a method.
	 * @param method the method, as it is called
	 * @param targetClass the class of the object that it is called on
	 * @return a binding for each policy; empty for a method without limits
	 */
	public List<PolicyBinding> find(Method method, Class<?> targetClass) {
		throw new UnsupportedOperationException();
	}

}
