package io.github.ratelimit.annotation;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What people call a method or type.
 */
final class AnnotatedPlace {

	private AnnotatedPlace() {
	}

	static String describe(AnnotatedElement element) {
		return (element instanceof Method method)
				? method.getDeclaringClass().getSimpleName() + "." + method.getName() + parameters(method)
				: ((Class<?>) element).getSimpleName();
	}

	/*
	 * From the shortest name to one that nothing else can have.
	 */
	static List<String> names(AnnotatedElement element) {
		if (element instanceof Method method) {
			String type = method.getDeclaringClass().getSimpleName();
			return List.of(type + "." + method.getName(), type + "." + method.getName() + parameters(method),
					method.getDeclaringClass().getName() + "." + method.getName() + parameters(method));
		}
		Class<?> type = (Class<?>) element;
		return List.of(type.getSimpleName(), type.getName());
	}

	private static String parameters(Method method) {
		return Arrays.stream(method.getParameterTypes())
			.map(Class::getSimpleName)
			.collect(Collectors.joining(", ", "(", ")"));
	}

}
