package io.github.ratelimit.annotation;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.stereotype.Component;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Recognizes types that may have limited methods: those with a {@link RateLimited}
 * somewhere on them or on what they extend or implement. This check of a type is much
 * cheaper than merging the annotations of each of its methods.
 */
final class CandidateTypes {

	/*
	 * Packages below org.springframework that applications have beans of. Others are
	 * searched, as those of Spring's samples are.
	 */
	private static final Set<String> SPRINGS_OWN = Set.of("amqp", "aop", "beans", "boot", "cache", "cloud", "context",
			"core", "dao", "data", "format", "graphql", "http", "jdbc", "jmx", "kafka", "messaging", "orm",
			"scheduling", "security", "session", "transaction", "util", "validation", "web");

	private CandidateTypes() {
	}

	static boolean contain(Class<?> type) {
		return !isSpringsOwn(type) && isMentionedBy(type);
	}

	/*
	 * Applications can be in a package of Spring too, and mostly have components.
	 */
	private static boolean isSpringsOwn(Class<?> type) {
		String name = type.getName();
		if (!name.startsWith("org.springframework.")) {
			return false;
		}
		String first = name.split("\\.", 4)[2];
		return first.equals("boot") || (SPRINGS_OWN.contains(first)
				&& !AnnotatedElementUtils.isAnnotated(ClassUtils.getUserClass(type), Component.class));
	}

	private static boolean isMentionedBy(@Nullable Class<?> type) {
		if (type == null || !AnnotationUtils.isCandidateClass(type, RateLimited.class)) {
			return false;
		}
		if (isOn(type)) {
			return true;
		}
		for (Method method : ReflectionUtils.getDeclaredMethods(type)) {
			if (isOn(method)) {
				return true;
			}
		}
		for (Class<?> implemented : type.getInterfaces()) {
			if (isMentionedBy(implemented)) {
				return true;
			}
		}
		return isMentionedBy(type.getSuperclass());
	}

	/*
	 * Merging is the greater part of the check, and most methods have no annotation.
	 */
	private static boolean isOn(AnnotatedElement element) {
		return element.getDeclaredAnnotations().length > 0
				&& MergedAnnotations.from(element).isPresent(RateLimited.class);
	}

}
