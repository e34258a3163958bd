package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

import io.github.ratelimit.expression.PolicyBinding;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Visits the type of every bean once at start-up, so that every annotated method is known
 * before the first call, and every mistake ends the start.
 */
public final class RateLimitedBeans implements SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(RateLimitedBeans.class);

	private final ConfigurableListableBeanFactory beanFactory;

	private final RateLimitedMethods methods;

	private final boolean proxyTargetClass;

	private final boolean virtualThreads;

	/**
	 * Creates the visitor.
	 * @param beanFactory the beans to visit
	 * @param methods learns of every annotated method
	 * @param proxyTargetClass whether proxies are subclasses, and not made of interfaces
	 * @param virtualThreads whether requests are served by virtual threads, which may
	 * wait
	 */
	public RateLimitedBeans(ConfigurableListableBeanFactory beanFactory, RateLimitedMethods methods,
			boolean proxyTargetClass, boolean virtualThreads) {
		this.beanFactory = beanFactory;
		this.methods = methods;
		this.proxyTargetClass = proxyTargetClass;
		this.virtualThreads = virtualThreads;
	}

	@Override
	public void afterSingletonsInstantiated() {
		Arrays.stream(this.beanFactory.getBeanNamesForType(Object.class, true, false))
			.map(this::userType)
			.distinct()
			.forEach((type) -> {
				if (type != null) {
					visit(type);
				}
			});
	}

	private @Nullable Class<?> userType(String beanName) {
		Class<?> type = targetType(beanName);
		return (type != null) ? ClassUtils.getUserClass(type) : null;
	}

	private @Nullable Class<?> targetType(String beanName) {
		try {
			return AutoProxyUtils.determineTargetClass(this.beanFactory, beanName);
		}
		catch (RuntimeException | LinkageError ex) {
			logger.debug("Could not find out the type of the bean '" + beanName + "', which is probably lazy", ex);
			return null;
		}
	}

	private void visit(Class<?> type) {
		limitedMethods(type).forEach((method) -> visit(method, type));
	}

	private static Set<Method> limitedMethods(Class<?> type) {
		try {
			return RateLimitedMethods.isCandidate(type)
					? MethodIntrospector.selectMethods(type,
							(ReflectionUtils.MethodFilter) (method) -> RateLimitedMethods.isLimited(method, type))
					: Set.of();
		}
		catch (AnnotationConfigurationException ex) {
			throw ex;
		}
		catch (RuntimeException | LinkageError ex) {
			logger.debug("Could not read the methods of " + type.getName()
					+ ", probably because a type in their signatures is missing", ex);
			return Set.of();
		}
	}

	private void visit(Method method, Class<?> type) {
		String obstacle = obstacle(method, type);
		if (obstacle != null) {
			throw new InvalidRateLimitedMethodException(AnnotatedPlace.of(method, type),
					"would have no effect, because a proxy cannot intercept " + obstacle,
					"Make it a public method, neither final nor static, of a class that is not final.", null);
		}
		List<PolicyBinding> bindings = this.methods.find(method, type);
		if (!this.virtualThreads) {
			HandlerWait.check(method, type, bindings);
		}
	}

	private @Nullable String obstacle(Method method, Class<?> type) {
		int modifiers = method.getModifiers();
		if (Modifier.isStatic(modifiers)) {
			return "a static method";
		}
		if (Modifier.isPrivate(modifiers)) {
			return "a private method";
		}
		boolean finalType = Modifier.isFinal(type.getModifiers());
		Class<?>[] interfaces = ClassUtils.getAllInterfacesForClass(type);
		if ((finalType || !this.proxyTargetClass) && interfaces.length > 0) {
			return isOnInterface(method, type, interfaces) ? null
					: finalType ? "a method of a final class that is on none of the class' interfaces"
							: "a method that is on none of the class' interfaces while "
									+ "spring.aop.proxy-target-class is false";
		}
		if (Modifier.isFinal(modifiers)) {
			return "a final method";
		}
		return finalType ? "a method of a final class" : null;
	}

	private static boolean isOnInterface(Method method, Class<?> type, Class<?>[] interfaces) {
		return Arrays.stream(interfaces)
			.flatMap((candidate) -> Arrays.stream(candidate.getMethods()))
			.anyMatch((candidate) -> candidate.equals(method)
					|| BridgeMethodResolver.getMostSpecificMethod(candidate, type).equals(method));
	}

}
