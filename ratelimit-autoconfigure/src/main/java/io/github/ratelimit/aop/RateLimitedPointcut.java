package io.github.ratelimit.aop;

import java.lang.reflect.Method;

import io.github.ratelimit.annotation.RateLimitedMethods;

import org.springframework.aop.support.StaticMethodMatcherPointcut;

/**
 * Matches annotated methods, and those of annotated types.
 */
final class RateLimitedPointcut extends StaticMethodMatcherPointcut {

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		return RateLimitedMethods.isLimited(method, targetClass);
	}

}
