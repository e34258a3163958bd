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
 * @param attribute {@code key}, {@code cost} or {@code condition}
 * @param method the method whose parameters can be read, if any
 */
record ExpressionPlace(String description, String attribute, @Nullable Method method) {

	static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

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

	static int index(String variable, Method method) {
		String[] names = NAMES.getParameterNames(method);
		for (int i = 0; i < method.getParameterCount(); i++) {
			if (variable.equals("p" + i) || variable.equals("a" + i) || names != null && variable.equals(names[i])) {
				return i;
			}
		}
		return -1;
	}

	InvalidRateLimitException invalid(String expression, String reason, String action, @Nullable Throwable cause) {
		return InvalidRateLimitException.of(
				"The " + this.attribute + " expression '" + expression + "' of " + this.description, reason, action,
				cause);
	}

}
