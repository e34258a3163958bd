package io.github.ratelimit.annotation;

import java.io.Closeable;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.util.ClassUtils;

/**
 * Knows whether the proxy of a class can be a subclass, or implement its interfaces.
 */
final class ProxyableTypes {

	private static final int VISIBLE_ELSEWHERE = Modifier.PUBLIC | Modifier.PROTECTED;

	/** Spring does not create proxies with only these interfaces. */
	private static final Set<Class<?>> CALLBACK_INTERFACES = Set.of(InitializingBean.class, DisposableBean.class,
			Closeable.class, AutoCloseable.class);

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

	static boolean hasInterfaces(Class<?> type) {
		return Arrays.stream(ClassUtils.getAllInterfacesForClass(type))
			.anyMatch((each) -> each.getMethods().length > 0 && !CALLBACK_INTERFACES.contains(each)
					&& !Arrays.asList(each.getInterfaces()).contains(Aware.class));
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

}
