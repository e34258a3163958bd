package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodIntrospector;
import org.springframework.util.ReflectionUtils;

/**
 * Knows which methods a proxy can intercept, and which beans cannot have a proxy.
 *
 * @since 0.1.0
 */
public final class Interception {

	private static final Pattern VARIABLE = Pattern.compile("#(?!(root|this)\\b)");

	private final boolean proxyTargetClass;

	private final BooleanSupplier handlersEnforced;

	private final Supplier<Set<String>> policiesAroundCalls;

	/**
	 * Creates an instance for an application.
	 * @param proxyTargetClass whether proxies are subclasses, and do not only implement
	 * interfaces
	 * @param handlersEnforced whether web handlers are limited before they are called,
	 * with or without a proxy; not called before it matters
	 * @param policiesAroundCalls the names of configured policies that are decided around
	 * the call: they have a charge, or an expression that may read arguments
	 */
	public Interception(boolean proxyTargetClass, BooleanSupplier handlersEnforced,
			Supplier<Set<String>> policiesAroundCalls) {
		this.proxyTargetClass = proxyTargetClass;
		this.handlersEnforced = handlersEnforced;
		this.policiesAroundCalls = policiesAroundCalls;
	}

	/**
	 * Whether an expression may read the arguments of a call, so far as its text tells.
	 * @param expression the expression, or {@code null} for none
	 * @return {@code false} if it certainly reads none
	 */
	public static boolean mayReadArguments(@Nullable String expression) {
		return expression != null && VARIABLE.matcher(expression).find();
	}

	/**
	 * Whether a class is a controller that needs no proxy, because each of its limits is
	 * decided before its handler is called. Tells so without the policies themselves,
	 * which do not exist yet when beans are made.
	 * @param type the class
	 * @return {@code false} if a limit may be decided around the call
	 */
	public boolean isLimitedBeforeCalls(Class<?> type) {
		return Handlers.isController(type) && this.handlersEnforced.getAsBoolean()
				&& MethodIntrospector
					.selectMethods(type, (ReflectionUtils.MethodFilter) (method) -> isLimitedAroundCalls(method, type))
					.isEmpty();
	}

	private boolean isLimitedAroundCalls(Method method, Class<?> type) {
		RateLimitedAnnotations limits = RateLimitedMethods.annotations(method, type);
		if (limits == null) {
			return false;
		}
		AnnotatedPlace place = limits.areOfType() ? AnnotatedPlace.of(type) : AnnotatedPlace.of(method, type);
		return !Handlers.isWebHandler(method, type)
				|| limits.annotations().stream().anyMatch((limit) -> isDecidedAroundCalls(limit, place));
	}

	private boolean isDecidedAroundCalls(RateLimited limit, AnnotatedPlace place) {
		return !limit.charge().isEmpty() || mayReadArguments(limit.key()) || mayReadArguments(limit.cost())
				|| mayReadArguments(limit.condition())
				|| this.policiesAroundCalls.get().stream().anyMatch((policy) -> isPolicyOf(limit, place, policy));
	}

	/* Of several limits of a place, the later ones' names end with a number. */
	private static boolean isPolicyOf(RateLimited limit, AnnotatedPlace place, String policy) {
		String name = limit.policy() + limit.name();
		return name.isEmpty() ? place.names().stream().anyMatch(policy::startsWith) : policy.equals(name);
	}

	/**
	 * Whether beans of a class can have a proxy that does all that the bean does.
	 * @param type the class
	 * @return {@code false} if a proxy would be impossible or break the bean
	 */
	public boolean isProxied(Class<?> type) {
		return (isExtensible(type) || implementsInterfaces(type)) && reasonForNoProxy(type) == null;
	}

	/**
	 * Whether a proxy of a class must be a subclass. Controllers are found by an
	 * annotation on their class, which a proxy with interfaces does not have.
	 * @param type the class
	 * @return {@code true} for controllers
	 */
	public static boolean needsTargetClass(Class<?> type) {
		return Handlers.isController(type);
	}

	/**
	 * Whether a class can have a subclass.
	 * @param type the class
	 * @return {@code false} if proxies can only implement its interfaces
	 */
	public static boolean isExtensible(Class<?> type) {
		return ProxyableTypes.inextensible(type) == null;
	}

	/**
	 * Creates the exception for a bean that another needs before it is initialized.
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
	 * The handlers of such a controller can be limited before they are called. With a
	 * proxy, Spring MVC would not find it, or would call the methods on the proxy itself,
	 * whose fields are empty.
	 */
	private @Nullable String reasonForNoProxy(Class<?> type) {
		if (!Handlers.isController(type) || !this.handlersEnforced.getAsBoolean()) {
			return null;
		}
		String inextensible = ProxyableTypes.inextensible(type);
		if (inextensible != null) {
			return "a method of " + inextensible;
		}
		if (isLimitedBeforeCalls(type)) {
			return "a method of a controller that got none, as neither its annotations nor ratelimit.policies need one";
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
	 * Why a proxy cannot intercept a method.
	 * @return a short description of what cannot be intercepted, or {@code null}
	 */
	@Nullable String obstacle(Method method, Class<?> type) {
		int modifiers = method.getModifiers();
		if (Modifier.isStatic(modifiers)) {
			return "a static method";
		}
		if (Modifier.isPrivate(modifiers)) {
			return "a private method";
		}
		String reason = reasonForNoProxy(type);
		if (reason != null) {
			return reason;
		}
		String inextensible = ProxyableTypes.inextensible(type);
		if (isHidden(method, type)) {
			return (inextensible != null) ? "a method of " + inextensible + " that is on none of the class' interfaces"
					: "a method that is on none of the class' interfaces while spring.aop.proxy-target-class is false";
		}
		if (implementsInterfaces(type)) {
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
	 * Whether the bean's proxy does not have a method at all.
	 */
	boolean isHidden(Method method, Class<?> type) {
		return implementsInterfaces(type) && !ProxyableTypes.isOnInterface(method, type);
	}

	private boolean implementsInterfaces(Class<?> type) {
		return !needsTargetClass(type) && !(this.proxyTargetClass && isExtensible(type))
				&& ProxyableTypes.proxiedInterfaces(type).length > 0;
	}

}
