package io.github.ratelimit.expression;

import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.Map;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.policy.AppliedLocation;
import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ParameterNameDiscoverer;

/**
 * An expression as it is written, with its location and its purpose.
 *
 * @param text the expression
 * @param description a short description of the rule, property or method
 * @param purpose what the expression is for
 * @param method the method whose parameters can be read, if any
 * @param property the configuration property that holds the expression alone, if any
 */
record ExpressionLocation(String text, String description, RateLimitExpression purpose, @Nullable Method method,
		@Nullable String property) {

	/* It is known by name, because Spring AI is optional. */
	private static final String USAGE_OF_MODELS = "org.springframework.ai.chat.metadata.Usage";

	static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

	/*
	 * Whether the expression is written where the policy is applied, and not for several
	 * locations. Both are described in the same words.
	 */
	boolean isAt(AppliedLocation applied) {
		return this.description.equals(applied.location());
	}

	boolean isCharge() {
		return this.purpose == RateLimitExpression.CHARGE;
	}

	boolean isOfElement() {
		return this.purpose == RateLimitExpression.CHARGE_EACH;
	}

	/* Whether it is about the call of a model, which has a usage. */
	boolean isOfModel() {
		return this.method != null && this.method.getReturnType().getName().equals(USAGE_OF_MODELS);
	}

	/*
	 * Returns the parameters with their indexes. Each is known by its name, and by p0 or
	 * a0 and so on. The last one of a suspending function of Kotlin is the compiler's.
	 */
	static Map<String, Integer> parameters(@Nullable Method method) {
		if (method == null) {
			return Map.of();
		}

		Map<String, Integer> parameters = new LinkedHashMap<>();
		int count = method.getParameterCount();
		if (KotlinDetector.isSuspendingFunction(method)) {
			count--;
		}

		String[] names = NAMES.getParameterNames(method);
		if (names != null) {
			for (int i = 0; i < count; i++) {
				parameters.put(names[i], i);
			}
		}
		for (int i = 0; i < count; i++) {
			parameters.putIfAbsent("p" + i, i);
			parameters.putIfAbsent("a" + i, i);
		}
		return parameters;
	}

	InvalidRateLimitException invalid(String reason, String action) {
		return invalid(reason, action, null);
	}

	InvalidRateLimitException invalid(String reason, String action, @Nullable Throwable cause) {
		if (this.property != null) {
			return InvalidRateLimitException.property(this.property, this.text, reason, action, cause);
		}
		return InvalidRateLimitException.of(subject(), reason, action, cause);
	}

	/* Names the expression in messages. */
	String subject() {
		return "The " + this.purpose.id() + " expression '" + this.text + "' of " + this.description;
	}

}
