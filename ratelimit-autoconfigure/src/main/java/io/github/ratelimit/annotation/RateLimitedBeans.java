package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;

import io.github.ratelimit.expression.PolicyBinding;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/**
 * Visits the type of every bean once at start-up, so that every annotated method is known
 * before the first call, and every mistake ends the start.
 */
public final class RateLimitedBeans implements SmartInitializingSingleton {

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
		Class<?> type = AutoProxyUtils.determineTargetClass(this.beanFactory, beanName);
		return (type != null && AnnotationUtils.isCandidateClass(type, RateLimited.class)
				&& !type.getName().startsWith("org.springframework.")) ? ClassUtils.getUserClass(type) : null;
	}

	private void visit(Class<?> type) {
		MethodIntrospector.selectMethods(type,
				(MethodIntrospector.MetadataLookup<Boolean>) (method) -> RateLimitedMethods.isLimited(method, type)
						? true : null)
			.keySet()
			.forEach((method) -> visit(method, type));
	}

	private void visit(Method method, Class<?> type) {
		String obstacle = obstacle(method, type);
		if (obstacle != null) {
			throw new InvalidRateLimitedMethodException(AnnotatedPlace.describe(method),
					"would have no effect, because a proxy cannot intercept " + obstacle,
					"Make it a public method, neither final nor static, of a class that is not final.", null);
		}
		List<PolicyBinding> bindings = this.methods.find(method, type);
		if (!this.virtualThreads) {
			HandlerWait.check(method, bindings);
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
		boolean onInterface = Arrays.stream(ClassUtils.getAllInterfacesForClass(type))
			.anyMatch((candidate) -> ClassUtils.hasMethod(candidate, method));
		if (!this.proxyTargetClass && ClassUtils.getAllInterfacesForClass(type).length > 0) {
			return onInterface ? null
					: "a method that is on none of the class' interfaces while spring.aop.proxy-target-class is false";
		}
		if (Modifier.isFinal(modifiers)) {
			return "a final method";
		}
		return Modifier.isFinal(type.getModifiers()) ? "a method of a final class" : null;
	}

}
