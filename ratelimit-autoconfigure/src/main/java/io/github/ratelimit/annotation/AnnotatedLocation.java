package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.StringJoiner;
import java.util.function.Function;
import java.util.regex.Pattern;

import io.github.ratelimit.InvalidRateLimitException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * A method or type that annotations apply to, as it is named in policies and messages.
 *
 * @param type the class of the objects that the method is called on, which may have
 * inherited it
 * @param method the method, or {@code null} for the type itself
 */
record AnnotatedLocation(Class<?> type, @Nullable Method method) {

	/* Leaves room for a number at the end. */
	private static final int MAX_LENGTH = 120;

	private static final int MAX_LENGTH_BEFORE_HASH = MAX_LENGTH - 9;

	/* Languages allow more characters in names than header fields and URLs do. */
	private static final Pattern IMPOSSIBLE = Pattern.compile("[^ -~]|[/\\\\;%]");

	static AnnotatedLocation of(Method method, Class<?> type) {
		boolean own = method.getDeclaringClass().isAssignableFrom(type)
				&& !RateLimitedAnnotations.isMadeOfInterfaces(type);
		if (own) {
			return new AnnotatedLocation(type, method);
		}
		return new AnnotatedLocation(method.getDeclaringClass(), method);
	}

	InvalidRateLimitException invalid(String reason, String action) {
		return invalid(reason, action, null);
	}

	InvalidRateLimitException invalid(String reason, String action, @Nullable Throwable cause) {
		return InvalidRateLimitException.of("@RateLimited on " + this, reason, action, cause);
	}

	/*
	 * Describes the location in messages.
	 */
	@Override
	public String toString() {
		Method method = this.method;
		if (method == null) {
			return simpleName();
		}
		return simpleName() + "." + method.getName() + parameters(method);
	}

	/*
	 * Describes the location in messages about locations whose descriptions are equal.
	 */
	String longName() {
		return this.type.getName() + suffix();
	}

	/*
	 * Returns names for the policy, the shortest first. The names of overloads include
	 * their parameters, so that they do not depend on the order in which methods are
	 * read.
	 */
	List<String> names() {
		String suffix = suffix();
		return List.of(validName(simpleName() + suffix), validName(longName()));
	}

	/*
	 * A name that has to be changed ends with the hash of the original, so that different
	 * names stay different.
	 */
	static String validName(String text) {
		String possible = IMPOSSIBLE.matcher(text).replaceAll("_");
		if (possible.equals(text) && text.length() <= MAX_LENGTH) {
			return text;
		}
		String shortened = possible.substring(0, Math.min(possible.length(), MAX_LENGTH_BEFORE_HASH));
		return shortened + "-" + String.format("%08x", text.hashCode());
	}

	/*
	 * Overloads whose parameters have the same simple names are told apart by their full
	 * ones.
	 */
	private String suffix() {
		Method method = this.method;
		if (method == null) {
			return "";
		}

		String suffix = "." + method.getName();
		Set<Method> overloads = limitedOverloads(method);
		if (overloads.size() == 1) {
			return suffix;
		}
		String parameters = parameters(method);
		long alike = overloads.stream().filter((each) -> parameters(each).equals(parameters)).count();
		if (alike == 1) {
			return suffix + parameters;
		}
		return suffix + parameters(method, Class::getTypeName);
	}

	/*
	 * A generic method and the one that overrides it are declared with different
	 * parameters, and are the same method.
	 */
	private Set<Method> limitedOverloads(Method method) {
		Set<Method> limited = new HashSet<>(Set.of(method));
		for (Method candidate : ReflectionUtils.getUniqueDeclaredMethods(this.type,
				ReflectionUtils.USER_DECLARED_METHODS)) {
			if (candidate.getName().equals(method.getName())
					&& RateLimitedAnnotations.find(candidate, this.type) != null) {
				limited.add(RateLimitedAnnotations.specific(candidate, this.type));
			}
		}
		return limited;
	}

	private String simpleName() {
		return this.type.isAnonymousClass() ? ClassUtils.getShortName(this.type) : this.type.getSimpleName();
	}

	private static String parameters(Method method) {
		return parameters(method, Class::getSimpleName);
	}

	/* The last parameter of a suspending function of Kotlin is the compiler's. */
	private static String parameters(Method method, Function<Class<?>, String> name) {
		StringJoiner parameters = new StringJoiner(", ", "(", ")");
		int count = method.getParameterCount();
		if (KotlinDetector.isSuspendingFunction(method)) {
			count--;
		}
		for (int i = 0; i < count; i++) {
			parameters.add(name.apply(method.getParameterTypes()[i]));
		}
		return parameters.toString();
	}

}
