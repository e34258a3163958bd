package io.github.ratelimit.annotation;

import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.Pointcut;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;

/**
 * Advice that limits, by which limited proxies are known.
 *
 * @since 0.1.0
 */
public final class RateLimitedAdvisor extends DefaultPointcutAdvisor {

	/**
	 * Creates an advisor.
	 * @param pointcut the methods that are limited
	 * @param advice limits them
	 */
	public RateLimitedAdvisor(Pointcut pointcut, Advice advice) {
		super(pointcut, advice);
	}

	/**
	 * Where a proxy has such advice.
	 * @param advised the proxy
	 * @return its index, or -1
	 */
	public static int indexIn(Advised advised) {
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
	public static boolean limits(@Nullable Object object) {
		return object instanceof Advised advised
				&& (indexIn(advised) >= 0 || limits(AopProxyUtils.getSingletonTarget(object)));
	}

}
