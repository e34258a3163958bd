package io.github.ratelimit.expression;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.InvalidRateLimitException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;

/**
 * The place of an expression, and its purpose.
 *
 * @param description a short description of the rule, property or method
 * @param attribute {@code key}, {@code cost}, {@code condition}, {@code charge} or
 * {@code plan}
 * @param method the method whose parameters can be read, if any
 * @param property the configuration property that holds the expression alone, if any
 */
record ExpressionPlace(String description, String attribute, @Nullable Method method, @Nullable String property) {

	static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

	ExpressionPlace(String description, String attribute, @Nullable Method method) {
		this(description, attribute, method, null);
	}

	boolean isCharge() {
		return this.attribute.equals("charge");
	}

	/*
	 * Parameters are known by their name, and by p0 or a0 and so on.
	 */
	List<String> variables() {
		List<String> variables = new ArrayList<>();
		if (this.method != null) {
			String[] names = NAMES.getParameterNames(this.method);
			if (names != null) {
				variables.addAll(List.of(names));
			}
			for (int i = 0; i < this.method.getParameterCount(); i++) {
				variables.add("p" + i);
				variables.add("a" + i);
			}
		}
		return variables;
	}

	/*
	 * A suspending function of Kotlin has a parameter more than names.
	 */
	static int index(String variable, Method method) {
		String[] names = NAMES.getParameterNames(method);
		for (int i = 0; i < method.getParameterCount(); i++) {
			boolean named = names != null && i < names.length && variable.equals(names[i]);
			if (named || variable.equals("p" + i) || variable.equals("a" + i)) {
				return i;
			}
		}
		return -1;
	}

	InvalidRateLimitException invalid(String expression, String reason, String action, @Nullable Throwable cause) {
		if (this.property != null) {
			return InvalidRateLimitException.property(this.property, expression, reason, action, cause);
		}
		return InvalidRateLimitException.of(
				"The " + this.attribute + " expression '" + expression + "' of " + this.description, reason, action,
				cause);
	}

}
