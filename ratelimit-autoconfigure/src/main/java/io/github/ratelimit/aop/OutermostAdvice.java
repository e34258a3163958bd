package io.github.ratelimit.aop;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;

/**
 * Keeps limits outside of every other advice, also of what later post-processors have put
 * before them: a rejected call is neither handed to another thread nor tried again.
 * Post-processors of merged bean definitions come last.
 */
public final class OutermostAdvice implements MergedBeanDefinitionPostProcessor {

	private final RateLimitedBeanPostProcessor limits;

	/**
	 * Creates the post-processor.
	 * @param limits whose advice is to be the outermost
	 */
	public OutermostAdvice(RateLimitedBeanPostProcessor limits) {
		this.limits = limits;
	}

	@Override
	public void postProcessMergedBeanDefinition(RootBeanDefinition beanDefinition, Class<?> beanType, String beanName) {
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		Advisor advisor = this.limits.advisor();
		if (advisor != null && bean instanceof Advised advised && !advised.isFrozen() && advised.indexOf(advisor) > 0) {
			advised.removeAdvisor(advisor);
			advised.addAdvisor(0, advisor);
		}
		return bean;
	}

}
