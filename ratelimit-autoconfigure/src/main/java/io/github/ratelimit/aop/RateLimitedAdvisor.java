package io.github.ratelimit.aop;

import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.Pointcut;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;

/**
 * Advice that limits, by which limited proxies are known.
 */
final class RateLimitedAdvisor extends DefaultPointcutAdvisor {

	RateLimitedAdvisor(Pointcut pointcut, Advice advice) {
		super(pointcut, advice);
	}

	/**
	 * Where a proxy has such advice.
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
	 */
	static boolean limits(@Nullable Object object) {
		return object instanceof Advised advised
				&& (indexIn(advised) >= 0 || limits(AopProxyUtils.getSingletonTarget(object)));
	}

}
