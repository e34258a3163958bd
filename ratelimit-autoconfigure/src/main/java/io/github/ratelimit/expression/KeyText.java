package io.github.ratelimit.expression;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.security.Principal;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.support.ReadableText;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.util.ClassUtils;

/**
 * Makes the text of a key. A value whose text is another one for each object would be a
 * new key, and so a new budget, for each request: it is no key.
 */
final class KeyText {

	private static final String REMEDY = "Write what tells callers apart, such as an identifier, or a text of several: "
			+ "principal.name + ':' + path";

	private static final String CHANGING = "changes its text with its elements";

	private static final String OF_A_REQUEST = "is another one for each request";

	private static final String NAMELESS = "has no text of its own";

	/* They are known by name, because their libraries are optional. */
	private static final List<String> OF_ONE_REQUEST = List.of("jakarta.servlet.ServletRequest",
			"jakarta.servlet.ServletResponse", "jakarta.servlet.http.HttpSession",
			"org.springframework.messaging.Message", "org.springframework.graphql.GraphQlRequest",
			"org.springframework.security.core.context.SecurityContext");

	private static final ClassValue<Optional<String>> OBSTACLES = new ClassValue<>() {

		@Override
		protected Optional<String> computeValue(Class<?> type) {
			return Optional.ofNullable(find(ClassUtils.getUserClass(type)));
		}

	};

	private KeyText() {
	}

	/**
	 * Returns the text of a value.
	 * @param value the value of a key expression
	 * @param location the expression
	 * @return its text; the name of a user; {@code null} if it is null or an empty
	 * {@link Optional}
	 * @throws FailedExpressionException if the value is no key
	 */
	static @Nullable String of(@Nullable Object value, ExpressionLocation location) {
		if (value == null || value instanceof String) {
			return (String) value;
		}
		if (value instanceof Optional<?> optional) {
			return of(optional.orElse(null), location);
		}
		if (value instanceof Principal principal) {
			return principal.getName();
		}

		String name = SecurityUsers.name(value);
		if (name != null) {
			return name;
		}
		return textOf(value, location);
	}

	private static String textOf(Object value, ExpressionLocation location) {
		Optional<String> obstacle = OBSTACLES.get(value.getClass());
		if (obstacle.isPresent()) {
			String remedy = PendingValue.isOf(value.getClass()) ? PendingValue.REMEDY : REMEDY;
			throw new FailedExpressionException(location,
					"it gave " + ReadableText.typeOf(value) + ", which " + obstacle.get() + ". " + remedy, true);
		}
		return value.toString();
	}

	/**
	 * Checks the values that an expression may give, as far as its text or a declared
	 * type shows them.
	 * @throws InvalidRateLimitException if it is no key
	 */
	static void check(SpelNode key, ExpressionLocation location) {
		if (key instanceof Ternary) {
			ExpressionNodes.children(key).skip(1).forEach((choice) -> check(choice, location));
			return;
		}
		if (key instanceof Elvis) {
			ExpressionNodes.children(key).forEach((choice) -> check(choice, location));
			return;
		}

		String obstacle = obstacle(key, location.method());
		if (obstacle != null) {
			throw location.invalid("is no key: " + obstacle, REMEDY + ".");
		}
	}

	private static @Nullable String obstacle(SpelNode key, @Nullable Method method) {
		if (key instanceof InlineList) {
			return "a collection " + CHANGING;
		}
		if (ExpressionNodes.name(key).equals("request") || ExpressionNodes.isRoot(key, true)) {
			return key.toStringAST() + " " + OF_A_REQUEST;
		}
		if (key instanceof VariableReference variable && method != null) {
			return obstacle(variable, method);
		}
		return null;
	}

	private static @Nullable String obstacle(VariableReference variable, Method method) {
		Integer index = ExpressionLocation.parameters(method).get(variable.toStringAST().substring(1));
		if (index == null) {
			return null;
		}
		Class<?> type = ResolvableType.forMethodParameter(method, index).resolve(Object.class);
		if (type == Object.class || isNamed(type)) {
			return null;
		}
		return OBSTACLES.get(type).map((obstacle) -> "a " + type.getSimpleName() + " " + obstacle).orElse(null);
	}

	private static boolean isNamed(Class<?> type) {
		return Principal.class.isAssignableFrom(type) || Optional.class == type
				|| KeyResolver.class.isAssignableFrom(type) || SecurityUsers.areOf(type);
	}

	private static @Nullable String find(Class<?> type) {
		if (PendingValue.isOf(type)) {
			return PendingValue.OBSTACLE;
		}
		if (type.isArray()) {
			return NAMELESS;
		}
		if (Collection.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type)) {
			return CHANGING;
		}
		if (type == RateLimitContext.class || isOfOneRequest(type)) {
			return OF_A_REQUEST;
		}
		return isNameless(type) ? NAMELESS : null;
	}

	private static boolean isOfOneRequest(Class<?> type) {
		return isSubtypeOfAny(type, OF_ONE_REQUEST);
	}

	/**
	 * Whether a type is one of those with the given names, which need not be there, or
	 * extends or implements one.
	 */
	static boolean isSubtypeOfAny(@Nullable Class<?> type, List<String> names) {
		if (type == null) {
			return false;
		}
		return names.contains(type.getName()) || isSubtypeOfAny(type.getSuperclass(), names)
				|| Arrays.stream(type.getInterfaces()).anyMatch((each) -> isSubtypeOfAny(each, names));
	}

	/*
	 * An interface or an abstract class leaves its text to others. That of a record is
	 * final unless it is written by hand.
	 */
	private static boolean isNameless(Class<?> type) {
		if (type.isRecord()) {
			return Modifier.isFinal(ClassUtils.getMethod(type, "toString").getModifiers())
					&& Arrays.stream(type.getRecordComponents()).map(RecordComponent::getType).anyMatch(Class::isArray);
		}
		return !Modifier.isAbstract(type.getModifiers())
				&& ClassUtils.getMethod(type, "toString").getDeclaringClass() == Object.class;
	}

}
