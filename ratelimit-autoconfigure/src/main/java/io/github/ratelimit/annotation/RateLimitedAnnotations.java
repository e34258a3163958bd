package io.github.ratelimit.annotation;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotationPredicates;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.stereotype.Component;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The annotations that apply to a method: its own, or else those of its type.
 *
 * @param element the method or type that they apply to
 * @param carrier the element that has them: the element itself, or what it overrides,
 * extends or implements
 * @param annotations the annotations, merged, in the order in which they are written
 */
record RateLimitedAnnotations(AnnotatedElement element, AnnotatedElement carrier, List<RateLimited> annotations) {

	/**
	 * Finds the annotations of a method.
	 * @param method the most specific method
	 * @param type the class of the object that it is called on
	 * @return the annotations, or {@code null} if nothing limits the method
	 */
	static @Nullable RateLimitedAnnotations find(Method method, Class<?> type) {
		if (!AnnotationUtils.isCandidateClass(type, RateLimited.class) || method.isSynthetic()) {
			return null;
		}
		RateLimitedAnnotations own = nearest(method);
		if (own != null) {
			return own;
		}
		RateLimitedAnnotations ofType = nearest(type);
		return (ofType != null && isCovered(method, type)) ? ofType : null;
	}

	static boolean areOn(Class<?> type) {
		return nearest(type) != null;
	}

	/**
	 * Whether these are the annotations of the method's type.
	 * @return {@code false} if they are the method's own
	 */
	boolean areOfType() {
		return this.element instanceof Class<?>;
	}

	/*
	 * The handlers of a controller. On other types, the methods that Transactional
	 * covers.
	 */
	private static boolean isCovered(Method method, Class<?> type) {
		if (MethodRole.isController(type)) {
			return MethodRole.isHandler(method);
		}
		return !Modifier.isStatic(method.getModifiers()) && Interception.isInherited(method, type)
				&& !ReflectionUtils.isObjectMethod(method) && !MethodRole.isCallback(method);
	}

	/*
	 * Annotations of an overridden method or a supertype apply only if there is no nearer
	 * one.
	 */
	private static @Nullable RateLimitedAnnotations nearest(AnnotatedElement element) {
		List<MergedAnnotation<RateLimited>> nearest = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY)
			.stream(RateLimited.class)
			.filter(MergedAnnotationPredicates.firstRunOf(MergedAnnotation::getAggregateIndex))
			.toList();
		if (nearest.isEmpty()) {
			return null;
		}
		AnnotatedElement carrier = (nearest.get(0).getSource() instanceof AnnotatedElement source) ? source : element;
		return new RateLimitedAnnotations(element, carrier,
				nearest.stream().map(MergedAnnotation::synthesize).toList());
	}

	/*
	 * Those with a RateLimited somewhere on them or on what they extend or implement.
	 * This check of a type is much cheaper than merging the annotations of each of its
	 * methods.
	 */
	static boolean isCandidate(Class<?> type) {
		return !isSpringsOwn(type) && isMentionedBy(type);
	}

	/*
	 * Applications can be in a package of Spring too, as Spring's samples are, and mostly
	 * have components.
	 */
	private static boolean isSpringsOwn(Class<?> type) {
		String name = type.getName();
		return name.startsWith("org.springframework.boot.")
				|| name.startsWith("org.springframework.") && !name.startsWith("org.springframework.samples.")
						&& !AnnotatedElementUtils.isAnnotated(ClassUtils.getUserClass(type), Component.class);
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
