package io.github.ratelimit.annotation;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.request.AcquisitionEntry;
import io.github.ratelimit.support.Suggestion;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The method that answers in place of one whose call a limit rejects. It is called on the
 * bean itself, as the bean would call it, so that no advice is around it.
 *
 * @param method the method
 * @param takesRejection whether the rejection is the last of its parameters, behind those
 * of the method whose fallback it is
 */
record Fallback(Method method, boolean takesRejection) {

	/**
	 * Finds the fallback of a method.
	 * @param name the fallback's name
	 * @param limited the method
	 * @param type the class of the bean
	 * @param location the method in messages
	 * @throws InvalidRateLimitException if there is none that could answer
	 */
	static Fallback find(String name, Method limited, Class<?> type, AnnotatedLocation location) {
		List<Method> named = candidates(name, type);
		if (named.isEmpty()) {
			throw missing(name, limited, type, location);
		}
		List<Method> fitting = fitting(named, limited, type);
		if (fitting.isEmpty()) {
			throw location.invalid("has a fallback with other parameters: " + describe(named),
					"Write " + example(name, limited, type) + ".");
		}
		if (fitting.size() > 1) {
			throw location.invalid("has a fallback that is ambiguous: " + describe(fitting),
					"Leave one of them, or give them different names.");
		}

		Method fallback = fitting.get(0);
		check(fallback, limited, type, location);
		return new Fallback(fallback, fallback.getParameterCount() > limited.getParameterCount());
	}

	/*
	 * A method that has its fallback's name fits itself, which counts if no other does.
	 */
	private static List<Method> fitting(List<Method> named, Method limited, Class<?> type) {
		List<Method> fitting = named.stream().filter((method) -> fits(method, limited, type)).toList();
		if (fitting.size() == 1) {
			return fitting;
		}
		return fitting.stream().filter((method) -> !method.equals(limited)).toList();
	}

	/**
	 * Returns all methods of a class that have a fallback's name.
	 */
	static List<Method> candidates(String name, Class<?> type) {
		return methods(type).filter((method) -> method.getName().equals(name)).toList();
	}

	/**
	 * Whether a method could answer, by its parameters, in place of another one.
	 * @param method the method
	 * @param type the class of the bean
	 * @param others which other methods
	 */
	static boolean fitsAny(Method method, Class<?> type, Predicate<Method> others) {
		return methods(type)
			.anyMatch((other) -> !other.equals(method) && others.test(other) && fits(method, other, type));
	}

	/*
	 * A generic method and the one that overrides it are one.
	 */
	private static Stream<Method> methods(Class<?> type) {
		return Stream.of(ReflectionUtils.getUniqueDeclaredMethods(type, ReflectionUtils.USER_DECLARED_METHODS))
			.map((method) -> RateLimitedAnnotations.specific(method, type))
			.distinct();
	}

	private static void check(Method fallback, Method limited, Class<?> type, AnnotatedLocation location) {
		if (fallback.equals(limited)) {
			throw location.invalid("has itself as its fallback",
					"Name another method, or give one of them another name.");
		}
		int barred = fallback.getModifiers() & (Modifier.PRIVATE | Modifier.STATIC);
		if (barred != 0) {
			throw location.invalid("has a fallback that is " + Modifier.toString(barred) + ": " + describe(fallback),
					"Make " + fallback.getName() + " a method of the object that is not private.");
		}
		if (KotlinDetector.isSuspendingFunction(fallback) != KotlinDetector.isSuspendingFunction(limited)) {
			throw location.invalid("has a fallback of which only one suspends: " + describe(fallback),
					"Let both functions suspend, or neither.");
		}

		ResolvableType expected = returnType(limited, type);
		ResolvableType returned = returnType(fallback, type);
		if (!mayReplace(expected, returned)) {
			throw location.invalid("has a fallback that returns " + text(returned) + " in place of " + text(expected)
					+ ": " + describe(fallback), "Write " + example(fallback.getName(), limited, type) + ".");
		}
	}

	/*
	 * Whether what is returned may be used as what is expected, down to the elements of a
	 * publisher or a collection. What is not said, or depends on the caller, may fit.
	 */
	private static boolean mayReplace(ResolvableType expected, ResolvableType returned) {
		Class<?> wanted = expected.resolve();
		Class<?> given = returned.resolve();
		if (wanted == null || given == null || isOpen(expected.getType()) || isOpen(returned.getType())) {
			return true;
		}
		if (!ClassUtils.isAssignable(wanted, given)) {
			return false;
		}

		ResolvableType[] elements = expected.getGenerics();
		ResolvableType[] others = returned.as(wanted).getGenerics();
		for (int i = 0; i < Math.min(elements.length, others.length); i++) {
			if (!mayReplace(elements[i], others[i])) {
				return false;
			}
		}
		return true;
	}

	private static boolean isOpen(Type type) {
		if (type instanceof WildcardType wildcard) {
			return wildcard.getLowerBounds().length > 0;
		}
		return type instanceof TypeVariable<?> variable && variable.getGenericDeclaration() instanceof Method;
	}

	private static InvalidRateLimitException missing(String name, Method limited, Class<?> type,
			AnnotatedLocation location) {
		List<String> others = methods(type).filter((method) -> fits(method, limited, type) && !method.equals(limited))
			.map(Method::getName)
			.toList();
		return location.invalid(
				"has the fallback '" + name + "', but " + type.getSimpleName() + " has no method of that name",
				Suggestion.question(name, others) + "Write " + example(name, limited, type) + ".");
	}

	private static boolean fits(Method fallback, Method limited, Class<?> type) {
		List<Class<?>> parameters = parameters(fallback, type);
		List<Class<?>> expected = parameters(limited, type);
		if (parameters.equals(expected)) {
			return true;
		}
		int count = expected.size();
		return parameters.size() == count + 1 && parameters.subList(0, count).equals(expected)
				&& parameters.get(count).isAssignableFrom(RateLimitExceededException.class)
				&& Throwable.class.isAssignableFrom(parameters.get(count));
	}

	/* The last parameter of a suspending function of Kotlin is the compiler's. */
	private static List<Class<?>> parameters(Method method, Class<?> type) {
		int count = method.getParameterCount();
		if (KotlinDetector.isSuspendingFunction(method)) {
			count--;
		}
		List<Class<?>> parameters = new ArrayList<>(count);
		for (int i = 0; i < count; i++) {
			parameters.add(new MethodParameter(method, i).withContainingClass(type).getParameterType());
		}
		return parameters;
	}

	private static ResolvableType returnType(Method method, Class<?> type) {
		return ResolvableType.forMethodParameter(new MethodParameter(method, -1).withContainingClass(type));
	}

	/* Such as List<String>, without packages. */
	private static String text(ResolvableType type) {
		Class<?> resolved = type.resolve();
		if (resolved == null) {
			return "?";
		}
		if (type.isArray() || !type.hasResolvableGenerics()) {
			return resolved.getSimpleName();
		}
		return resolved.getSimpleName()
				+ Stream.of(type.getGenerics()).map(Fallback::text).collect(Collectors.joining(", ", "<", ">"));
	}

	private static String example(String name, Method limited, Class<?> type) {
		String parameters = parameters(limited, type).stream()
			.map(Class::getSimpleName)
			.collect(Collectors.joining(", "));
		String separator = ", ";
		if (parameters.isEmpty()) {
			separator = "";
		}
		return text(returnType(limited, type)) + " " + name + "(" + parameters + "), or with "
				+ RateLimitExceededException.class.getSimpleName() + " as its last parameter " + name + "(" + parameters
				+ separator + RateLimitExceededException.class.getSimpleName() + ")";
	}

	private static String describe(List<Method> methods) {
		return methods.stream().map(Fallback::describe).sorted().collect(Collectors.joining(", "));
	}

	private static String describe(Method method) {
		return new AnnotatedLocation(method.getDeclaringClass(), method).toString();
	}

	/**
	 * Puts the fallback in the place of a call.
	 * @param call the call
	 * @param rejection why it is rejected
	 * @return proceeds with the fallback
	 */
	MethodInvocation inPlaceOf(MethodInvocation call, AcquisitionEntry rejection) {
		return new Answer(this, call, rejection);
	}

	/**
	 * A call of a fallback, as it looks to what observes the call in whose place it is.
	 *
	 * @param fallback the fallback
	 * @param call the call that is rejected
	 * @param rejection why it is rejected
	 */
	private record Answer(Fallback fallback, MethodInvocation call,
			AcquisitionEntry rejection) implements MethodInvocation {

		@Override
		public @Nullable Object proceed() throws Throwable {
			return AopUtils.invokeJoinpointUsingReflection(target(), this.fallback.method, arguments());
		}

		/*
		 * The clients that a framework makes of an interface have no target that
		 * implements it, but answer its default methods themselves.
		 */
		private @Nullable Object target() {
			Object target = this.call.getThis();
			boolean declared = this.fallback.method.getDeclaringClass().isInstance(target);
			if (!declared && this.call instanceof ProxyMethodInvocation proxied) {
				return proxied.getProxy();
			}
			return target;
		}

		private @Nullable Object[] arguments() {
			@Nullable Object[] arguments = this.call.getArguments();
			if (!this.fallback.takesRejection) {
				return arguments;
			}

			List<@Nullable Object> all = new ArrayList<>(Arrays.asList(arguments));
			int last = all.size();
			if (KotlinDetector.isSuspendingFunction(this.fallback.method)) {
				last--;
			}
			all.add(last, new RateLimitExceededException(this.rejection.policy(), this.rejection.decision()));
			return all.toArray();
		}

		@Override
		public Method getMethod() {
			return this.call.getMethod();
		}

		@Override
		public @Nullable Object[] getArguments() {
			return this.call.getArguments();
		}

		@Override
		public @Nullable Object getThis() {
			return this.call.getThis();
		}

		@Override
		public AccessibleObject getStaticPart() {
			return this.call.getStaticPart();
		}

	}

}
