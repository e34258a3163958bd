package io.github.ratelimit.annotation;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import io.github.ratelimit.InvalidRateLimitException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.stereotype.Component;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The classes of beans that were created and may have limited methods. A bean definition
 * does not always declare the class of its bean.
 */
final class LimitedTypes {

	/*
	 * In an order of their own, all instances of an application number policies alike.
	 */
	static final Comparator<Class<?>> BY_NAME = Comparator.comparing(Class::getName);

	private final Map<Class<?>, Boolean> candidates = new ConcurrentHashMap<>();

	private volatile @Nullable Consumer<Class<?>> visitor;

	/**
	 * Whether a class may have limited methods.
	 * @param type the class
	 * @return {@code false} if it cannot have any
	 */
	boolean contain(Class<?> type) {
		return this.candidates.computeIfAbsent(type, LimitedTypes::isCandidate);
	}

	/**
	 * Adds the class of a bean that was created.
	 * @param type the class
	 * @throws InvalidRateLimitException if the application has started and an annotation
	 * of the class cannot be enforced
	 */
	void made(Class<?> type) {
		Consumer<Class<?>> visitor = this.visitor;
		if (visitor != null && contain(type)) {
			visitor.accept(ClassUtils.getUserClass(type));
		}
	}

	/*
	 * Visits the present classes at once, and each later one before its bean is used.
	 */
	void visit(Consumer<Class<?>> visitor) {
		this.visitor = visitor;
		List<Class<?>> present = new ArrayList<>();
		this.candidates.forEach((type, candidate) -> {
			if (candidate && !type.isInterface()) {
				present.add(ClassUtils.getUserClass(type));
			}
		});
		sorted(present).forEach(visitor);
	}

	/**
	 * Sorts classes by their names.
	 */
	static List<Class<?>> sorted(Collection<Class<?>> types) {
		List<Class<?>> sorted = new ArrayList<>(types);
		sorted.sort(BY_NAME);
		return sorted;
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
