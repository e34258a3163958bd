package io.github.ratelimit.expression;

import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.security.Principal;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.github.ratelimit.ReadableText;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * The text of a key. A value whose text is another for each object would be a new key,
 * and so a new budget, for each request: it is no key.
 */
final class KeyText {

	static final String REMEDY = "Write what tells callers apart, such as an identifier, or a text of several: "
			+ "principal.name + ':' + path.";

	static final String CHANGING = "changes its text with its elements";

	static final String OF_A_REQUEST = "is another one for each request";

	private static final String NAMELESS = "has no text of its own";

	/* By name, because their libraries are optional. */
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
	 * The text of a value.
	 * @param value the value of a key expression
	 * @param place the expression
	 * @return its text; the name of a user; {@code null} if it is null or an empty
	 * {@link Optional}
	 * @throws FailedExpressionException if the value is no key
	 */
	static @Nullable String of(@Nullable Object value, ExpressionPlace place) {
		if (value == null || value instanceof String) {
			return (String) value;
		}
		if (value instanceof Optional<?> optional) {
			return of(optional.orElse(null), place);
		}
		if (value instanceof Principal principal) {
			return principal.getName();
		}
		String name = SecurityUsers.name(value);
		return (name != null) ? name : textOf(value, place);
	}

	private static String textOf(Object value, ExpressionPlace place) {
		Optional<String> obstacle = OBSTACLES.get(value.getClass());
		if (obstacle.isPresent()) {
			throw new FailedExpressionException(place,
					"it gave " + ReadableText.typeOf(value) + ", which " + obstacle.get(), REMEDY, true);
		}
		return value.toString();
	}

	/**
	 * Why the values of a declared type are no keys.
	 * @param type the type
	 * @return the reason, or {@code null} if they are, or if another type may be meant
	 */
	static @Nullable String obstacle(Class<?> type) {
		return (type == Object.class || isNamed(type)) ? null : OBSTACLES.get(type).orElse(null);
	}

	private static boolean isNamed(Class<?> type) {
		return Principal.class.isAssignableFrom(type) || Optional.class == type
				|| KeyResolver.class.isAssignableFrom(type) || SecurityUsers.areOf(type);
	}

	private static @Nullable String find(Class<?> type) {
		if (type.isArray()) {
			return NAMELESS;
		}
		if (Collection.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type)) {
			return CHANGING;
		}
		if (type == ExpressionRoot.class || isOfOneRequest(type)) {
			return OF_A_REQUEST;
		}
		return isNameless(type) ? NAMELESS : null;
	}

	private static boolean isOfOneRequest(@Nullable Class<?> type) {
		return type != null && (OF_ONE_REQUEST.contains(type.getName()) || isOfOneRequest(type.getSuperclass())
				|| Arrays.stream(type.getInterfaces()).anyMatch(KeyText::isOfOneRequest));
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
