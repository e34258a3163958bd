package io.github.ratelimit.autoconfigure;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;

/**
 * Loads what makes proxies, which the first bean with annotated methods would otherwise
 * wait for.
 */
class ProxyBackgroundPreinitializer implements BackgroundPreinitializer {

	@Override
	public void preinitialize() {
		ProxyFactory factory = new ProxyFactory(new Target());
		factory.setProxyTargetClass(true);
		factory.addAdvice((MethodInterceptor) MethodInvocation::proceed);
		factory.getProxy(getClass().getClassLoader());
	}

	static class Target {

		void call() {
		}

	}

}
