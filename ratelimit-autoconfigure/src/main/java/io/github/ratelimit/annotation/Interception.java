package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodIntrospector;
import org.springframework.util.ReflectionUtils;

/**
 * Tells which methods a proxy can intercept, and which beans must do without one.
 */
public final class Interception {

	private final boolean proxyTargetClass;

	private final BooleanSupplier handlersEnforced;

	/**
	 * Creates the knowledge of an application.
	 * @param proxyTargetClass whether proxies are subclasses, and not made of interfaces
	 * @param handlersEnforced whether web handlers are limited before they are called,
	 * with or without a proxy; asked when it first matters
	 */
	public Interception(boolean proxyTargetClass, BooleanSupplier handlersEnforced) {
		this.proxyTargetClass = proxyTargetClass;
		this.handlersEnforced = handlersEnforced;
	}

	/**
	 * Whether beans of a class can be proxied, and do with a proxy all that they do
	 * without.
	 * @param type the class
	 * @return {@code false} if a proxy would be impossible or do harm
	 */
	public boolean isProxied(Class<?> type) {
		return (isExtensible(type) || isMadeOfInterfaces(type)) && bareBecause(type) == null;
	}

	/**
	 * Whether a proxy of a class must be a subclass: controllers are found by an
	 * annotation on their class, which a proxy of interfaces does not have.
	 * @param type the class
	 * @return {@code true} for controllers
	 */
	public static boolean needsTargetClass(Class<?> type) {
		return Handlers.isController(type);
	}

	/**
	 * Whether a class can have a subclass.
	 * @param type the class
	 * @return {@code false} if proxies can only be made of its interfaces
	 */
	public static boolean isExtensible(Class<?> type) {
		return ProxyableTypes.inextensible(type) == null;
	}

	/**
	 * Says why a bean cannot be given to another before it is ready.
	 * @param type the bean's class
	 * @param beanName the bean's name
	 * @return the exception to throw
	 */
	public static RuntimeException circularReference(Class<?> type, String beanName) {
		return AnnotatedPlace.of(type)
			.invalid(
					"would have no effect for beans that the bean '" + beanName
							+ "' needs itself, because they get it before it has its proxy",
					"Break the circular reference: let one of the beans ask for the other when it first uses it, by @Lazy "
							+ "or an ObjectProvider.",
					null);
	}

	/*
	 * The handlers of such a controller can be limited before they are called. A proxy
	 * would hide it from Spring MVC, or be called in its stead with all fields empty.
	 */
	private @Nullable String bareBecause(Class<?> type) {
		if (!Handlers.isController(type) || !this.handlersEnforced.getAsBoolean()) {
			return null;
		}
		String inextensible = ProxyableTypes.inextensible(type);
		if (inextensible != null) {
			return "a method of " + inextensible;
		}
		return MethodIntrospector
			.selectMethods(type,
					(ReflectionUtils.MethodFilter) (method) -> isCalledBySpring(method)
							&& isCalledOnTheProxyItself(method, type))
			.stream()
			.findFirst()
			.map((method) -> "a method of a controller with a private or final " + method.getName()
					+ "() that Spring calls")
			.orElse(null);
	}

	private static boolean isCalledBySpring(Method method) {
		return Handlers.isMapped(method) || Callbacks.isAroundHandlers(method);
	}

	private static boolean isCalledOnTheProxyItself(Method method, Class<?> type) {
		int modifiers = method.getModifiers();
		return !Modifier.isStatic(modifiers)
				&& (Modifier.isFinal(modifiers) || !ProxyableTypes.isInherited(method, type));
	}

	/**
	 * Whether a method is limited before it is called, unless an expression needs its
	 * arguments.
	 */
	boolean isEnforcedBeforeTheCall(Method method, Class<?> type) {
		return Handlers.isWebHandler(method, type) && this.handlersEnforced.getAsBoolean();
	}

	/**
	 * What stands in a proxy's way.
	 * @return what cannot be intercepted, in a few words, or {@code null}
	 */
	@Nullable String obstacle(Method method, Class<?> type) {
		int modifiers = method.getModifiers();
		if (Modifier.isStatic(modifiers)) {
			return "a static method";
		}
		if (Modifier.isPrivate(modifiers)) {
			return "a private method";
		}
		String bare = bareBecause(type);
		if (bare != null) {
			return bare;
		}
		String inextensible = ProxyableTypes.inextensible(type);
		if (isHidden(method, type)) {
			return (inextensible != null) ? "a method of " + inextensible + " that is on none of the class' interfaces"
					: "a method that is on none of the class' interfaces while spring.aop.proxy-target-class is false";
		}
		if (isMadeOfInterfaces(type)) {
			return null;
		}
		if (Modifier.isFinal(modifiers)) {
			return "a final method";
		}
		if (!ProxyableTypes.isInherited(method, type)) {
			return "a package-private method of another package";
		}
		return (inextensible != null) ? "a method of " + inextensible : null;
	}

	/**
	 * Whether a method cannot be called by the bean's proxy at all.
	 */
	boolean isHidden(Method method, Class<?> type) {
		return isMadeOfInterfaces(type) && !ProxyableTypes.isOnInterface(method, type);
	}

	private boolean isMadeOfInterfaces(Class<?> type) {
		return !needsTargetClass(type) && !(this.proxyTargetClass && isExtensible(type))
				&& ProxyableTypes.hasInterfaces(type);
	}

}
