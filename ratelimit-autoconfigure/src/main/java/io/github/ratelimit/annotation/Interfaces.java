package io.github.ratelimit.annotation;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The interfaces of a type, also those that its interfaces extend, which
 * {@link org.springframework.util.ClassUtils} leaves out.
 */
final class Interfaces {

	private Interfaces() {
	}

	/**
	 * Returns all interfaces that a type is of, the nearest first.
	 * @param type a class, or an interface, which is one of them
	 */
	static Set<Class<?>> of(Class<?> type) {
		Set<Class<?>> found = new LinkedHashSet<>();
		for (Class<?> each = type; each != null; each = each.getSuperclass()) {
			add(each, found);
		}
		return found;
	}

	private static void add(Class<?> type, Set<Class<?>> found) {
		if (type.isInterface() && !found.add(type)) {
			return;
		}
		for (Class<?> each : type.getInterfaces()) {
			add(each, found);
		}
	}

}
