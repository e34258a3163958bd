package io.github.ratelimit.annotation;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.ProxyProcessorSupport;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.util.ClassUtils;

/**
 * Knows whether the proxy of a class can be a subclass, or implement its interfaces.
 */
final class ProxyableTypes {

	private static final int VISIBLE_ELSEWHERE = Modifier.PUBLIC | Modifier.PROTECTED;

	private ProxyableTypes() {
	}

	/**
	 * Why a class cannot have a subclass.
	 * @return a short description of the class, or {@code null}
	 */
	static @Nullable String inextensible(Class<?> type) {
		if (type.isInterface()) {
			return null;
		}
		if (Modifier.isFinal(type.getModifiers())) {
			return "a final class";
		}
		if (type.isSealed()) {
			return "a sealed class";
		}
		for (Constructor<?> constructor : type.getDeclaredConstructors()) {
			if (!Modifier.isPrivate(constructor.getModifiers())) {
				return null;
			}
		}
		return "a class whose constructors are all private";
	}

	/**
	 * The interfaces of a class' proxy that is no subclass.
	 * @return none if there are only those of callbacks
	 */
	static Class<?>[] proxiedInterfaces(Class<?> type) {
		return new Interfaces().of(type);
	}

	static boolean isOnInterface(Method method, Class<?> type) {
		return Stream.of(ClassUtils.getAllInterfacesForClass(type))
			.flatMap((candidate) -> Arrays.stream(candidate.getMethods()))
			.anyMatch((candidate) -> candidate.equals(method)
					|| BridgeMethodResolver.getMostSpecificMethod(candidate, type).equals(method));
	}

	/**
	 * Whether a subclass inherits a method.
	 * @return {@code false} for a private method, and for a package-private one of
	 * another package
	 */
	static boolean isInherited(Method method, Class<?> type) {
		int modifiers = method.getModifiers();
		return (modifiers & VISIBLE_ELSEWHERE) != 0 || (!Modifier.isPrivate(modifiers)
				&& method.getDeclaringClass().getPackageName().equals(type.getPackageName()));
	}

	/**
	 * Finds interfaces as the bean post-processor does.
	 */
	private static final class Interfaces extends ProxyProcessorSupport {

		Class<?>[] of(Class<?> type) {
			ProxyFactory factory = new ProxyFactory();
			evaluateProxyInterfaces(type, factory);
			return factory.getProxiedInterfaces();
		}

	}

}
