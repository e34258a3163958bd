package io.github.ratelimit.annotation;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.expression.PolicyBinder;
import io.github.ratelimit.expression.PolicyBinding;
import io.github.ratelimit.findings.RateLimitFindings;
import org.jspecify.annotations.Nullable;

import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The methods that {@link RateLimited} limits. Reads the annotations of each method once,
 * and registers their policies.
 *
 * @since 0.1.0
 */
public final class RateLimitedMethods {

	private final Map<MethodClassKey, LimitedMethod> methods = new ConcurrentHashMap<>();

	private final RateLimiterRegistry limiter;

	private final AnnotatedPolicies annotated;

	private final PolicyBinder binder;

	/**
	 * Creates an empty catalogue.
	 * @param limiter where policies are found and registered
	 * @param binder parses the expressions
	 * @param placeholders replaces <code>${…}</code> in windows
	 * @param findings where methods are added that share a name
	 * @param described is told what annotations say of a policy, before it is looked up
	 */
	public RateLimitedMethods(RateLimiterRegistry limiter, PolicyBinder binder, UnaryOperator<String> placeholders,
			RateLimitFindings findings, Consumer<RateLimitPolicy> described) {
		this.limiter = limiter;
		this.annotated = new AnnotatedPolicies(limiter, placeholders, findings, described);
		this.binder = binder;
	}

	/**
	 * Where policies are found and registered.
	 * @return the limiter
	 */
	public RateLimiterRegistry limiter() {
		return this.limiter;
	}

	/**
	 * Whether a class may have limited methods: neither the platform's classes have any,
	 * nor Spring's own, nor those without any such annotation.
	 * @param type the class
	 * @return {@code false} if it cannot have any
	 */
	public static boolean isCandidate(Class<?> type) {
		return RateLimitedAnnotations.isCandidate(type);
	}

	/**
	 * Whether anything limits a method. Does not read the annotation's attributes.
	 * @param method the method, as it is called
	 * @param targetClass the class of the object that it is called on
	 * @return {@code true} if the method or its type is annotated
	 */
	public static boolean isLimited(Method method, Class<?> targetClass) {
		return annotations(method, targetClass) != null;
	}

	/**
	 * Whether a limit of a class' methods is charged by outcome. Does not read the other
	 * attributes of the annotations.
	 * @param type the class
	 * @return {@code true} if an annotation has a charge of its own
	 */
	public static boolean isCharged(Class<?> type) {
		return isCandidate(type) && (hasCharge(type)
				|| Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(type, ReflectionUtils.USER_DECLARED_METHODS))
					.anyMatch(RateLimitedMethods::hasCharge));
	}

	private static boolean hasCharge(AnnotatedElement element) {
		return MergedAnnotations.from(element, MergedAnnotations.SearchStrategy.TYPE_HIERARCHY)
			.stream(RateLimited.class)
			.anyMatch((annotation) -> !annotation.getString("charge").isEmpty());
	}

	/**
	 * Whether a limit of a method rejects or delays anybody.
	 * @param method the method, as it is called
	 * @param targetClass the class of the object that it is called on
	 * @return {@code false} if all of its limits only decide in shadow, or it has none
	 */
	public boolean isEnforced(Method method, Class<?> targetClass) {
		return isLimited(method, targetClass) && limitedMethod(method, targetClass).bindings().stream()
			.anyMatch((binding) -> binding.limiter().policy().mode() == RateLimitMode.ENFORCE);
	}

	static @Nullable RateLimitedAnnotations annotations(Method method, Class<?> targetClass) {
		Method specific = specific(method, targetClass);
		return RateLimitedAnnotations.find(specific, annotatedType(specific, targetClass));
	}

	/**
	 * Finds a method with its limits.
	 * @param method the method, as it is called
	 * @param targetClass the class of the object that it is called on
	 * @return the method with its limits, if any; the same for each call
	 * @throws InvalidRateLimitException if an annotation cannot be enforced as it is
	 * written
	 */
	public LimitedMethod limitedMethod(Method method, Class<?> targetClass) {
		LimitedMethod found = this.methods.get(new MethodClassKey(method, targetClass));
		return (found != null) ? found : read(method, targetClass);
	}

	private LimitedMethod read(Method method, Class<?> targetClass) {
		Class<?> type = ClassUtils.getUserClass(targetClass);
		LimitedMethod read = this.methods.computeIfAbsent(new MethodClassKey(method, type),
				(absent) -> new LimitedMethod(BridgeMethodResolver.getMostSpecificMethod(method, type),
						bind(method, type), method.getReturnType()));
		if (type != targetClass) {
			this.methods.put(new MethodClassKey(method, targetClass), read);
		}
		return read;
	}

	private List<PolicyBinding> bind(Method method, Class<?> targetClass) {
		Method specific = specific(method, targetClass);
		Class<?> type = annotatedType(specific, targetClass);
		RateLimitedAnnotations annotations = RateLimitedAnnotations.find(specific, type);
		if (annotations == null) {
			return List.of();
		}
		AnnotatedPlace place = AnnotatedPlace.of(specific, type);
		List<PolicyBinding> bound = new ArrayList<>();
		this.annotated.resolve(annotations, annotations.areOfType() ? AnnotatedPlace.of(place.type()) : place)
			.forEach((group, policy) -> bound.add(this.binder.bindMethod(policy, specific, place.description(),
					key(group, policy), group.cost(), group.condition(), charge(group, policy))));
		return List.copyOf(bound);
	}

	/*
	 * A configured policy of an annotated limit's name replaces its key, and its charge,
	 * if it has one itself; a policy that the annotation names does not.
	 */
	private static String key(AnnotatedPolicies.LimitGroup group, RateLimiter limiter) {
		String key = limiter.policy().key();
		boolean overridden = group.policy().isEmpty() && key != null && !key.equals(group.key());
		return overridden ? "" : group.key();
	}

	private static String charge(AnnotatedPolicies.LimitGroup group, RateLimiter limiter) {
		boolean overridden = group.policy().isEmpty() && !group.charge().equals(limiter.policy().charge());
		return overridden ? "" : group.charge();
	}

	/*
	 * The methods of a class that the platform made of interfaces carry nothing
	 * themselves.
	 */
	private static Method specific(Method method, Class<?> targetClass) {
		if (Proxy.isProxyClass(targetClass)) {
			return ClassUtils.getInterfaceMethodIfPossible(method, targetClass);
		}
		return BridgeMethodResolver.getMostSpecificMethod(method, ClassUtils.getUserClass(targetClass));
	}

	/*
	 * An annotation on one of these interfaces holds for all methods that it inherits,
	 * and for no method of the others.
	 */
	private static Class<?> annotatedType(Method method, Class<?> targetClass) {
		if (!Proxy.isProxyClass(targetClass)) {
			return targetClass;
		}
		return Arrays.stream(targetClass.getInterfaces())
			.filter((type) -> method.getDeclaringClass().isAssignableFrom(type) && isCandidate(type))
			.findFirst()
			.orElse(method.getDeclaringClass());
	}

}
