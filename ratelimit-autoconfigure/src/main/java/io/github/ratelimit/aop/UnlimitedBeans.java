package io.github.ratelimit.aop;

import io.github.ratelimit.annotation.RateLimitedAdvisor;
import io.github.ratelimit.annotation.RateLimitedBeans;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.util.ClassUtils;

/**
 * Ends the start where a bean with annotated methods has not met the bean post-processor,
 * and so would not be limited.
 *
 * @since 0.1.0
 */
public final class UnlimitedBeans implements SmartInitializingSingleton {

	private final ConfigurableListableBeanFactory beanFactory;

	private final EarlyBeans earlyBeans;

	private final RateLimitedBeans beans;

	/**
	 * Creates the check.
	 * @param beanFactory the beans
	 * @param earlyBeans knows those that were made before all post-processors
	 * @param beans rejects the beans
	 */
	public UnlimitedBeans(ConfigurableListableBeanFactory beanFactory, EarlyBeans earlyBeans, RateLimitedBeans beans) {
		this.beanFactory = beanFactory;
		this.earlyBeans = earlyBeans;
		this.beans = beans;
	}

	@Override
	public void afterSingletonsInstantiated() {
		for (String beanName : this.beanFactory.getSingletonNames()) {
			Unprocessed unprocessed = unprocessed(beanName);
			Object bean = (unprocessed != null) ? this.beanFactory.getSingleton(beanName) : null;
			if (unprocessed != null && bean != null && !isLimited(bean)) {
				this.beans.rejectUnproxied(ClassUtils.getUserClass(AopUtils.getTargetClass(bean)),
						"the bean '" + beanName + "' " + unprocessed.reason, unprocessed.action);
			}
		}
	}

	/*
	 * An object that was registered in place of a bean that is defined is there by
	 * intention, as the mock of a test is.
	 */
	private @Nullable Unprocessed unprocessed(String beanName) {
		if (!this.beanFactory.containsBeanDefinition(beanName)) {
			return Unprocessed.REGISTERED;
		}
		if (this.earlyBeans.isEarlier(beanName)) {
			return Unprocessed.EARLY;
		}
		return (this.beanFactory.getBeanDefinition(beanName) instanceof AbstractBeanDefinition definition
				&& definition.isSynthetic()) ? Unprocessed.SYNTHETIC : null;
	}

	private static boolean isLimited(Object bean) {
		return bean instanceof AopInfrastructureBean || RateLimitedAdvisor.limits(bean);
	}

	private enum Unprocessed {

		EARLY("is made before all post-processors, for one that changes bean definitions",
				"Declare what needs the bean by a static @Bean method, and let it ask an ObjectProvider for the bean "
						+ "when it first uses it; or call RateLimiterRegistry by hand there."),

		REGISTERED("was registered as an object, which post-processors do not see",
				"Register a bean definition with a supplier of the object instead of a singleton."),

		SYNTHETIC("has a synthetic bean definition, which post-processors pass over",
				"Do not declare the definition as synthetic.");

		private final String reason;

		private final String action;

		Unprocessed(String reason, String action) {
			this.reason = reason;
			this.action = action;
		}

	}

}
