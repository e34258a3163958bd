package io.github.ratelimit.annotation;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;

/**
 * The annotations that hold for a method: its own, or else those of its type.
 *
 * @param source the method or type that carries the annotations
 * @param annotations the annotations, merged, in the order in which they are written
 */
record RateLimitedAnnotations(AnnotatedElement source, List<RateLimited> annotations) {

	private static final RepeatableContainers REPEATED = RepeatableContainers.explicitRepeatable(RateLimited.class,
			RateLimited.Container.class);

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
		return (Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers())
				&& method.getDeclaringClass() != Object.class) ? nearest(type) : null;
	}

	/*
	 * Annotations of an overridden method or a supertype hold only where there is none
	 * nearer.
	 */
	private static @Nullable RateLimitedAnnotations nearest(AnnotatedElement element) {
		List<MergedAnnotation<RateLimited>> all = MergedAnnotations
			.from(element, SearchStrategy.TYPE_HIERARCHY, REPEATED)
			.stream(RateLimited.class)
			.toList();
		if (all.isEmpty()) {
			return null;
		}
		int nearest = all.stream().mapToInt(MergedAnnotation::getAggregateIndex).min().orElseThrow();
		List<MergedAnnotation<RateLimited>> own = all.stream()
			.filter((annotation) -> annotation.getAggregateIndex() == nearest)
			.toList();
		AnnotatedElement source = (own.get(0).getSource() instanceof AnnotatedElement carrier) ? carrier : element;
		return new RateLimitedAnnotations(source, own.stream().map(MergedAnnotation::synthesize).toList());
	}

}
