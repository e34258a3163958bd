package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.AcquisitionEntry;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;

/**
 * Advice that limits annotated methods, by which limited proxies are known.
 *
 * @since 0.1.0
 */
public final class RateLimitedAdvisor extends StaticMethodMatcherPointcutAdvisor {

	/*
	 * The interfaces whose annotations hold in place of the target's, because the target
	 * does not implement them.
	 */
	private final transient List<Class<?>> interfaces;

	RateLimitedAdvisor(List<Class<?>> interfaces, Supplier<RateLimitedInterceptor> interceptor) {
		this.interfaces = interfaces;
		setAdvice((MethodInterceptor) (invocation) -> interceptor.get()
			.invoke(invocation, annotatedInterface(invocation.getMethod())));
	}

	/**
	 * Creates what keeps such advice outside of every other.
	 * @return a processor that comes after all that add advice
	 */
	public static MergedBeanDefinitionPostProcessor outermost() {
		return new OutermostAdvice();
	}

	/**
	 * Says whether a fallback answers a rejection of a request before it calls its
	 * handler. One does only where the handler's call will be seen.
	 * @param limits the handler method with its limits
	 * @param handler the object that the method is called on
	 * @return {@code true} of a rejection that is not to be thrown
	 */
	public static Predicate<AcquisitionEntry> fallback(LimitedMethod limits, Object handler) {
		if (limits.hasFallback() && sees(limits, handler)) {
			return limits.answered();
		}
		return Acquisition.WITHOUT_FALLBACK;
	}

	/**
	 * Whether calls of a handler come by such advice. A proxy is searched for it once.
	 * @param limits the handler method with its limits
	 * @param handler the object that the method is called on
	 * @return {@code true} if it is a proxy with such advice
	 */
	public static boolean sees(LimitedMethod limits, Object handler) {
		return limits.isSeenOn(handler, RateLimitedAdvisor::limits);
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		Class<?> type = this.interfaces.isEmpty() ? targetClass : annotatedInterface(method);
		return type != null && RateLimitedAnnotations.find(method, type) != null;
	}

	private @Nullable Class<?> annotatedInterface(Method method) {
		for (Class<?> candidate : this.interfaces) {
			if (method.getDeclaringClass().isAssignableFrom(candidate)) {
				return candidate;
			}
		}
		return null;
	}

	/**
	 * Finds such advice in a proxy.
	 * @param advised the proxy
	 * @return its index, or -1
	 */
	static int indexIn(Advised advised) {
		Advisor[] advisors = advised.getAdvisors();
		for (int i = 0; i < advisors.length; i++) {
			if (advisors[i] instanceof RateLimitedAdvisor) {
				return i;
			}
		}
		return -1;
	}

	/**
	 * Whether the calls of an object are limited already, by itself or by what it is a
	 * proxy of.
	 * @param object any object
	 * @return {@code true} if it is a proxy with such advice
	 */
	static boolean limits(@Nullable Object object) {
		return object instanceof Advised advised
				&& (indexIn(advised) >= 0 || limits(AopProxyUtils.getSingletonTarget(object)));
	}

}
