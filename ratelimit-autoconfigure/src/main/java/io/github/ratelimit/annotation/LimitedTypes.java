package io.github.ratelimit.annotation;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import io.github.ratelimit.InvalidRateLimitException;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * The classes of beans that were created and may have limited methods. A bean definition
 * does not always declare the class of its bean.
 *
 * @since 0.1.0
 */
public final class LimitedTypes {

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
	public boolean contain(Class<?> type) {
		return this.candidates.computeIfAbsent(type, RateLimitedMethods::isCandidate);
	}

	/**
	 * Adds the class of a bean that was created.
	 * @param type the class
	 * @throws InvalidRateLimitException if the application has started and an annotation
	 * of the class cannot be enforced
	 */
	public void made(Class<?> type) {
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

}
