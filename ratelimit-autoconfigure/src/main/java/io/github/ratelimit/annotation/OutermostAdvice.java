package io.github.ratelimit.annotation;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;

/**
 * Keeps limits outside of every other advice, also of what later post-processors have put
 * before them: a rejected call is neither handed to another thread nor tried again.
 * Post-processors of merged bean definitions come last.
 */
final class OutermostAdvice implements MergedBeanDefinitionPostProcessor {

	@Override
	public void postProcessMergedBeanDefinition(RootBeanDefinition beanDefinition, Class<?> beanType, String beanName) {
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof Advised advised && !advised.isFrozen()) {
			moveToFront(advised);
		}
		return bean;
	}

	private static void moveToFront(Advised advised) {
		int index = RateLimitedAdvisor.indexIn(advised);
		if (index > 0) {
			Advisor advisor = advised.getAdvisors()[index];
			advised.removeAdvisor(index);
			advised.addAdvisor(0, advisor);
		}
	}

}
