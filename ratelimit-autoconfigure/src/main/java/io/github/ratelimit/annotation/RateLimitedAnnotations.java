package io.github.ratelimit.annotation;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotationPredicates;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
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

	static boolean isOn(Class<?> type) {
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

}
