package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import io.github.ratelimit.InvalidRateLimitException;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * A method or type that annotations apply to, as it is named in policies and messages.
 *
 * @param type the class of the objects that the method is called on, which may have
 * inherited it
 * @param method the method, or {@code null} for the type itself
 */
record AnnotatedPlace(Class<?> type, @Nullable Method method) {

	static AnnotatedPlace of(Method method, Class<?> type) {
		boolean own = method.getDeclaringClass().isAssignableFrom(type) && !Proxy.isProxyClass(type);
		return new AnnotatedPlace(own ? type : method.getDeclaringClass(), method);
	}

	static AnnotatedPlace of(Class<?> type) {
		return new AnnotatedPlace(type, null);
	}

	InvalidRateLimitException invalid(String reason, String action, @Nullable Throwable cause) {
		return InvalidRateLimitException.of("@RateLimited on " + description(), reason, action, cause);
	}

	/*
	 * For messages.
	 */
	String description() {
		Method method = this.method;
		return simpleName() + ((method != null) ? "." + method.getName() + parameters(method) : "");
	}

	/*
	 * For messages about places whose descriptions are equal.
	 */
	String longName() {
		return this.type.getName() + suffix();
	}

	/*
	 * Names for the policy, the shortest first. The names of overloads include their
	 * parameters, so that they do not depend on the order in which methods are read.
	 */
	List<String> names() {
		String suffix = suffix();
		return List.of(DerivedName.of(simpleName() + suffix), DerivedName.of(longName()));
	}

	private String suffix() {
		Method method = this.method;
		if (method == null) {
			return "";
		}
		return "." + method.getName() + (isOverloaded(method) ? parameters(method) : "");
	}

	private boolean isOverloaded(Method method) {
		return Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(this.type, ReflectionUtils.USER_DECLARED_METHODS))
			.filter((candidate) -> candidate.getName().equals(method.getName()))
			.filter((candidate) -> RateLimitedMethods.isLimited(candidate, this.type))
			.count() > 1;
	}

	private String simpleName() {
		return this.type.isAnonymousClass() ? ClassUtils.getShortName(this.type) : this.type.getSimpleName();
	}

	private static String parameters(Method method) {
		return Arrays.stream(method.getParameterTypes())
			.map(Class::getSimpleName)
			.collect(Collectors.joining(", ", "(", ")"));
	}

	@Override
	public String toString() {
		return description();
	}

}
