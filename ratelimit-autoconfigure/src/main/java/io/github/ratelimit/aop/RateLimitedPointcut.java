package io.github.ratelimit.aop;

import java.lang.reflect.Method;

import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.annotation.RateLimitedMethods;

import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Matches annotated methods, and those of annotated types.
 */
final class RateLimitedPointcut extends StaticMethodMatcherPointcut {

	RateLimitedPointcut() {
		setClassFilter((type) -> AnnotationUtils.isCandidateClass(type, RateLimited.class));
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		return RateLimitedMethods.isLimited(method, targetClass);
	}

}
