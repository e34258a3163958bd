package io.github.ratelimit.annotation;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.stereotype.Component;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Tells which types may have limited methods: those that {@link RateLimited} stands
 * somewhere on, or on what they extend or implement. To ask that once for a type costs
 * much less than to ask for each of its methods which annotations hold for it.
 */
final class CandidateTypes {

	private CandidateTypes() {
	}

	static boolean contain(Class<?> type) {
		return !isSpringsOwn(type) && isMentionedBy(type);
	}

	/*
	 * An application may be in a package of Spring's too, as Spring's samples are.
	 */
	private static boolean isSpringsOwn(Class<?> type) {
		String name = type.getName();
		return name.startsWith("org.springframework.") && (name.startsWith("org.springframework.boot.")
				|| !AnnotatedElementUtils.isAnnotated(ClassUtils.getUserClass(type), Component.class));
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

	private static boolean isOn(AnnotatedElement element) {
		return MergedAnnotations.from(element).isPresent(RateLimited.class);
	}

}
