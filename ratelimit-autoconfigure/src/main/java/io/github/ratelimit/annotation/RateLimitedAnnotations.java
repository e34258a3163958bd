package io.github.ratelimit.annotation;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.MethodIntrospector;
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
 * @param method the method
 * @param location the method or type that has them
 * @param carrier the element that they are written on: that itself, or what it overrides,
 * extends or implements
 * @param annotations the annotations, merged, in the order in which they are written
 */
record RateLimitedAnnotations(AnnotatedLocation method, AnnotatedLocation location, @Nullable Object carrier,
		List<RateLimited> annotations) {

	/**
	 * Returns the annotations of all limited methods of a class.
	 */
	static Map<Method, RateLimitedAnnotations> of(Class<?> type) {
		return MethodIntrospector.selectMethods(type,
				(MethodIntrospector.MetadataLookup<RateLimitedAnnotations>) (method) -> find(method, type));
	}

	/**
	 * Finds the annotations of a method.
	 * @param method the method, as it is called
	 * @param targetClass the class of the object that it is called on
	 * @return the annotations, or {@code null} if nothing limits the method
	 */
	static @Nullable RateLimitedAnnotations find(Method method, Class<?> targetClass) {
		Method specific = specific(method, targetClass);
		Class<?> type = annotatedType(specific, targetClass);
		if (!AnnotationUtils.isCandidateClass(type, RateLimited.class) || specific.isSynthetic()) {
			return null;
		}

		AnnotatedLocation location = AnnotatedLocation.of(specific, type);
		List<MergedAnnotation<RateLimited>> own = nearest(specific);
		if (!own.isEmpty()) {
			return of(own, location, location);
		}

		List<MergedAnnotation<RateLimited>> ofType = nearest(type);
		if (ofType.isEmpty() || !isCovered(specific, type) || isFallback(specific, type, ofType)) {
			return null;
		}
		return of(ofType, location, new AnnotatedLocation(location.type(), null));
	}

	private static RateLimitedAnnotations of(List<MergedAnnotation<RateLimited>> nearest, AnnotatedLocation method,
			AnnotatedLocation location) {
		return new RateLimitedAnnotations(method, location, nearest.get(0).getSource(), synthesized(nearest));
	}

	static boolean areOn(Class<?> type) {
		return !nearest(type).isEmpty();
	}

	/**
	 * Finds annotations that the class inherits and that do not hold, though nothing
	 * nearer replaces them: another supertype has others, which are found first, or has
	 * the code of the method.
	 * @param type the class of a bean
	 * @return the method or type that has them, or {@code null} if all hold that are
	 * inherited
	 */
	static @Nullable AnnotatedLocation dropped(Class<?> type) {
		if (isMadeOfInterfaces(type)) {
			return null;
		}

		List<Class<?>> inherited = new ArrayList<>(Interfaces.of(type));
		for (Class<?> each = type.getSuperclass(); each != null; each = each.getSuperclass()) {
			inherited.add(each);
		}

		for (Class<?> supertype : inherited) {
			if (isOn(supertype) && isDropped(nearest(supertype), supertype, nearest(type))) {
				return new AnnotatedLocation(supertype, null);
			}
			for (Method method : ReflectionUtils.getDeclaredMethods(supertype)) {
				if (isOn(method) && isInheritable(method)
						&& isDropped(nearest(method), supertype, nearest(specific(method, type)))) {
					return new AnnotatedLocation(supertype, method);
				}
			}
		}
		return null;
	}

	private static boolean isInheritable(Method method) {
		return !method.isSynthetic() && !Modifier.isPrivate(method.getModifiers())
				&& !Modifier.isStatic(method.getModifiers());
	}

	/*
	 * Whether others hold in place of those of a supertype that are on nothing below it.
	 */
	private static boolean isDropped(List<MergedAnnotation<RateLimited>> inherited, Class<?> supertype,
			List<MergedAnnotation<RateLimited>> found) {
		if (!found.isEmpty() && supertype.isAssignableFrom(declaring(found.get(0)))) {
			return false;
		}
		return !synthesized(inherited).equals(synthesized(found));
	}

	private static Class<?> declaring(MergedAnnotation<RateLimited> annotation) {
		if (annotation.getSource() instanceof Method method) {
			return method.getDeclaringClass();
		}
		return (Class<?>) Objects.requireNonNull(annotation.getSource());
	}

	private static List<RateLimited> synthesized(List<MergedAnnotation<RateLimited>> annotations) {
		return annotations.stream().map(MergedAnnotation::synthesize).toList();
	}

	/*
	 * The methods of a class that the platform made of interfaces carry nothing
	 * themselves, not even the names of parameters.
	 */
	static Method specific(Method method, Class<?> targetClass) {
		if (isMadeOfInterfaces(targetClass)) {
			return ClassUtils.getInterfaceMethodIfPossible(method, targetClass);
		}
		return BridgeMethodResolver.getMostSpecificMethod(method, ClassUtils.getUserClass(targetClass));
	}

	/*
	 * Whether the platform made a class of interfaces, as it does for a proxy, or for a
	 * lambda, whose class has another name in each process.
	 */
	static boolean isMadeOfInterfaces(Class<?> type) {
		return Proxy.isProxyClass(type) || ClassUtils.isLambdaClass(type);
	}

	/*
	 * An annotation on one of these interfaces holds for all methods that it inherits,
	 * and for no method of the others.
	 */
	private static Class<?> annotatedType(Method method, Class<?> targetClass) {
		if (!isMadeOfInterfaces(targetClass)) {
			return targetClass;
		}
		return Arrays.stream(targetClass.getInterfaces())
			.filter((type) -> method.getDeclaringClass().isAssignableFrom(type) && isCandidate(type))
			.findFirst()
			.orElse(method.getDeclaringClass());
	}

	/*
	 * An annotation on a controller covers its handlers. On another type, it covers the
	 * methods that Transactional would cover.
	 */
	private static boolean isCovered(Method method, Class<?> type) {
		if (MethodRole.isController(type)) {
			return MethodRole.isHandler(method);
		}
		return !Modifier.isStatic(method.getModifiers()) && Interception.isInherited(method, type)
				&& !ReflectionUtils.isObjectMethod(method) && !MethodRole.isCallback(method, type);
	}

	/*
	 * What answers in place of a type's methods is not limited with them. Another method
	 * of the same name is.
	 */
	private static boolean isFallback(Method method, Class<?> type, List<MergedAnnotation<RateLimited>> ofType) {
		boolean named = ofType.stream()
			.anyMatch((annotation) -> annotation.getString("fallback").equals(method.getName()));
		return named && Fallback.fitsAny(method, type, (other) -> isCovered(other, type));
	}

	/*
	 * Annotations of an overridden method or a supertype apply only if there is no nearer
	 * one.
	 */
	private static List<MergedAnnotation<RateLimited>> nearest(AnnotatedElement element) {
		return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY)
			.stream(RateLimited.class)
			.filter(MergedAnnotationPredicates.firstRunOf(MergedAnnotation::getAggregateIndex))
			.toList();
	}

	/*
	 * Whether a type has a RateLimited anywhere, be it on what it extends or implements.
	 * This check of a type is much cheaper than merging the annotations of each of its
	 * methods. A type whose methods cannot be read has none.
	 */
	static boolean isCandidate(Class<?> type) {
		return !isSpringsOwn(type) && Boolean.TRUE.equals(ReadableMethods.read(type, () -> isOnHierarchyOf(type)));
	}

	/*
	 * Applications can be in a package of Spring too, as Spring's samples are, and mostly
	 * have components.
	 */
	private static boolean isSpringsOwn(Class<?> type) {
		String name = type.getName();
		if (name.startsWith("org.springframework.boot.")) {
			return true;
		}
		if (!name.startsWith("org.springframework.") || name.startsWith("org.springframework.samples.")) {
			return false;
		}
		return !AnnotatedElementUtils.isAnnotated(ClassUtils.getUserClass(type), Component.class);
	}

	private static boolean isOnHierarchyOf(@Nullable Class<?> type) {
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
			if (isOnHierarchyOf(implemented)) {
				return true;
			}
		}
		return isOnHierarchyOf(type.getSuperclass());
	}

	/*
	 * Merging is the greater part of the check, and most methods have no annotation.
	 */
	private static boolean isOn(AnnotatedElement element) {
		return element.getDeclaredAnnotations().length > 0
				&& MergedAnnotations.from(element).isPresent(RateLimited.class);
	}

}
