package io.github.ratelimit.annotation;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.ProxyProcessorSupport;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.MethodIntrospector;
import org.springframework.util.ClassUtils;

/**
 * Knows which methods a proxy can intercept, and which beans cannot have a proxy.
 *
 * @since 0.1.0
 */
public final class Interception {

	/**
	 * Name of the bean that limits web handlers. It is the same in each context of a
	 * hierarchy: a handler mapping uses the interceptors of all ancestors, unless a
	 * nearer one hides them by its name.
	 */
	public static final String HANDLER_INTERCEPTOR = "rateLimitHandlerInterceptor";

	/**
	 * Name of the bean that limits web handlers in a reactive web application. Only a
	 * call whose result is subscribed to is known to belong to a request there.
	 */
	public static final String HANDLER_ADAPTER = "rateLimitHandlerAdapter";

	private static final Pattern VARIABLE = Pattern.compile("#(?!(root|this)\\b)");

	private static final String INEXTENSIBLE = "of a class that is final, sealed or has only private constructors";

	private final boolean proxyTargetClass;

	private final BeanFactory beanFactory;

	private final Supplier<Set<String>> policiesAroundCalls;

	/**
	 * Creates an instance for an application.
	 * @param proxyTargetClass whether proxies are subclasses, and do not only implement
	 * interfaces
	 * @param beanFactory knows whether web handlers are limited before they are called,
	 * with or without a proxy; not asked before it matters
	 * @param policiesAroundCalls the names of configured policies that are decided around
	 * the call: they have a charge, or an expression that may read arguments
	 */
	public Interception(boolean proxyTargetClass, BeanFactory beanFactory, Supplier<Set<String>> policiesAroundCalls) {
		this.proxyTargetClass = proxyTargetClass;
		this.beanFactory = beanFactory;
		this.policiesAroundCalls = policiesAroundCalls;
	}

	/**
	 * Whether an expression may read the arguments of a call, as far as its text shows
	 * it.
	 * @param expression the expression, or {@code null} for none
	 * @return {@code false} if it certainly reads none
	 */
	public static boolean mayReadArguments(@Nullable String expression) {
		return expression != null && VARIABLE.matcher(expression).find();
	}

	/*
	 * Whether a class is a controller that needs no proxy, because each of its limits is
	 * decided before its handler is called. It is known without the policies themselves,
	 * which do not exist yet when beans are made.
	 */
	boolean isLimitedBeforeCalls(Class<?> type) {
		if (!isEnforcedController(type)) {
			return false;
		}
		for (Map.Entry<Method, RateLimitedAnnotations> each : RateLimitedAnnotations.of(type).entrySet()) {
			if (!MethodRole.isWebHandler(each.getKey(), type)) {
				return false;
			}
			for (RateLimited limit : each.getValue().annotations()) {
				if (isDecidedAroundCalls(limit, each.getValue().location())) {
					return false;
				}
			}
		}
		return true;
	}

	private boolean isEnforcedController(Class<?> type) {
		return MethodRole.isController(type) && (this.beanFactory.containsBean(HANDLER_INTERCEPTOR) || isReactive());
	}

	/*
	 * Whether handlers are those of a reactive web application.
	 */
	boolean isReactive() {
		return this.beanFactory.containsBean(HANDLER_ADAPTER);
	}

	private boolean isDecidedAroundCalls(RateLimited limit, AnnotatedLocation location) {
		boolean charged = !limit.charge().isEmpty() || !limit.chargeEach().isEmpty();
		if (charged || !limit.fallback().isEmpty() || mayReadArguments(limit.key()) || mayReadArguments(limit.cost())
				|| mayReadArguments(limit.condition())) {
			return true;
		}

		for (String policy : this.policiesAroundCalls.get()) {
			if (isPolicyOf(limit, location, policy)) {
				return true;
			}
		}
		return false;
	}

	/* If a location has several limits, the names of the later ones end with a number. */
	private static boolean isPolicyOf(RateLimited limit, AnnotatedLocation location, String policy) {
		String name = limit.policy() + limit.name();
		if (name.isEmpty()) {
			return location.names().stream().anyMatch(policy::startsWith);
		}
		return policy.equals(name);
	}

	/*
	 * Whether beans of a class can have a proxy that does all that the bean does.
	 */
	boolean isProxied(Class<?> type) {
		return (isExtensible(type) || implementsInterfaces(type)) && reasonForNoProxy(type) == null;
	}

	/*
	 * The handlers of such a controller can be limited before they are called. With a
	 * proxy, Spring MVC would not find it, or would call the methods on the proxy itself,
	 * whose fields are empty.
	 */
	private @Nullable String reasonForNoProxy(Class<?> type) {
		if (!isEnforcedController(type)) {
			return null;
		}
		if (!isExtensible(type)) {
			return "a method " + INEXTENSIBLE;
		}
		if (isLimitedBeforeCalls(type)) {
			return "a method of a controller that got none, as neither its annotations nor ratelimit.policies need one";
		}

		for (Method method : MethodIntrospector.selectMethods(type, Interception::isCalledBySpring)) {
			int modifiers = method.getModifiers();
			if (!Modifier.isStatic(modifiers) && (Modifier.isFinal(modifiers) || !isInherited(method, type))) {
				return "a method of a controller with a private or final " + method.getName() + "() that Spring calls";
			}
		}
		return null;
	}

	private static boolean isCalledBySpring(Method method) {
		return MethodRole.isHandler(method) || MethodRole.ERROR_HANDLER.isOf(method)
				|| MethodRole.BEFORE_HANDLERS.isOf(method);
	}

	/*
	 * Whether a method is limited before it is called, unless an expression needs its
	 * arguments.
	 */
	boolean isEnforcedBeforeTheCall(Method method, Class<?> type) {
		return MethodRole.WEB_HANDLER.isOf(method) && isEnforcedController(type);
	}

	/**
	 * Finds out why a proxy cannot intercept a method.
	 * @return a short description of what cannot be intercepted, or {@code null}
	 */
	@Nullable String obstacle(Method method, Class<?> type) {
		boolean byInterfaces = implementsInterfaces(type);
		int barring = Modifier.STATIC | Modifier.PRIVATE;
		if (!byInterfaces) {
			barring |= Modifier.FINAL;
		}
		int barred = method.getModifiers() & barring;
		if (barred != 0) {
			return "a " + Modifier.toString(barred) + " method";
		}

		String reason = reasonForNoProxy(type);
		if (reason != null) {
			return reason;
		}
		if (byInterfaces) {
			return obstacleOfInterfaces(method, type);
		}
		return obstacleOfSubclass(method, type);
	}

	private @Nullable String obstacleOfInterfaces(Method method, Class<?> type) {
		if (!isHidden(method, type)) {
			return null;
		}
		if (isExtensible(type)) {
			return "a method that is on none of the class' interfaces while spring.aop.proxy-target-class is false";
		}
		return "a method that is on none of the interfaces " + INEXTENSIBLE;
	}

	private static @Nullable String obstacleOfSubclass(Method method, Class<?> type) {
		if (!isInherited(method, type)) {
			return "a package-private method of another package";
		}
		return isExtensible(type) ? null : "a method " + INEXTENSIBLE;
	}

	/**
	 * Whether the bean's proxy does not have a method at all.
	 */
	boolean isHidden(Method method, Class<?> type) {
		return implementsInterfaces(type) && ClassUtils.getAllInterfacesForClassAsSet(type)
			.stream()
			.flatMap((candidate) -> Arrays.stream(candidate.getMethods()))
			.noneMatch((candidate) -> candidate.equals(method)
					|| BridgeMethodResolver.getMostSpecificMethod(candidate, type).equals(method));
	}

	/*
	 * The proxy of a controller must be a subclass: controllers are found by an
	 * annotation on their class, which a proxy with interfaces does not have.
	 */
	private boolean implementsInterfaces(Class<?> type) {
		return !MethodRole.isController(type) && !(this.proxyTargetClass && isExtensible(type))
				&& proxiedInterfaces(type).length > 0;
	}

	/**
	 * Whether a class can have a subclass: the proxies of others can only implement their
	 * interfaces.
	 * @return {@code false} if it is final, sealed or has only private constructors
	 */
	public static boolean isExtensible(Class<?> type) {
		boolean constructible = type.isInterface();
		for (Constructor<?> constructor : type.getDeclaredConstructors()) {
			constructible |= !Modifier.isPrivate(constructor.getModifiers());
		}
		return constructible && !Modifier.isFinal(type.getModifiers()) && !type.isSealed();
	}

	/**
	 * Whether a subclass can stand for a bean of a class. It cannot pass on a final
	 * method, and has none of the bean's fields.
	 * @return {@code false} if the class cannot have a subclass, or has a final method
	 * that is public
	 */
	public static boolean isReplaceable(Class<?> type) {
		return isExtensible(type) && Arrays.stream(type.getMethods())
			.allMatch(
					(method) -> method.getDeclaringClass() == Object.class || !Modifier.isFinal(method.getModifiers()));
	}

	/**
	 * Whether a subclass inherits a method.
	 * @return {@code false} for a private method, and for a package-private one of
	 * another package
	 */
	static boolean isInherited(Method method, Class<?> type) {
		int modifiers = method.getModifiers();
		if (Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers)) {
			return true;
		}
		if (Modifier.isPrivate(modifiers)) {
			return false;
		}
		return method.getDeclaringClass().getPackageName().equals(type.getPackageName());
	}

	/**
	 * Returns the interfaces of a class' proxy that is no subclass.
	 * @return none if there are only those of callbacks
	 */
	static Class<?>[] proxiedInterfaces(Class<?> type) {
		return new Interfaces().of(type);
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
