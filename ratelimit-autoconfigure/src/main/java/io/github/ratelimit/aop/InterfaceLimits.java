package io.github.ratelimit.aop;

import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Supplier;

import io.github.ratelimit.annotation.RateLimitedMethods;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.StaticMethodMatcherPointcut;

/**
 * Limits the calls of one proxy by what is written on interfaces that its target does not
 * implement, and which the target's class therefore does not tell.
 */
final class InterfaceLimits extends StaticMethodMatcherPointcut implements MethodInterceptor {

	private final List<Class<?>> interfaces;

	private final Supplier<RateLimitedInterceptor> aspect;

	InterfaceLimits(List<Class<?>> interfaces, Supplier<RateLimitedInterceptor> aspect) {
		this.interfaces = interfaces;
		this.aspect = aspect;
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		Class<?> type = type(method);
		return type != null && RateLimitedMethods.isLimited(method, type);
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Method method = invocation.getMethod();
		Class<?> type = type(method);
		return this.aspect.get().invoke(invocation, (type != null) ? type : method.getDeclaringClass());
	}

	private @Nullable Class<?> type(Method method) {
		for (Class<?> candidate : this.interfaces) {
			if (method.getDeclaringClass().isAssignableFrom(candidate)) {
				return candidate;
			}
		}
		return null;
	}

}
