package io.github.ratelimit.annotation;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanFactory;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;

/**
 * Limits beans that are made before the bean post-processors are there, because one of
 * those needs them.
 *
 * @since 0.1.0
 */
public final class EarlyBeans implements BeanFactoryPostProcessor, PriorityOrdered {

	private final Set<String> earlier = new HashSet<>();

	private final Supplier<RateLimitedBeanPostProcessor> limits;

	/**
	 * Creates the post-processor.
	 * @param limits asked for when the first such bean is made
	 */
	public EarlyBeans(Supplier<RateLimitedBeanPostProcessor> limits) {
		this.limits = limits;
	}

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		this.earlier.addAll(Arrays.asList(beanFactory.getSingletonNames()));
		if (beanFactory instanceof AbstractBeanFactory beans) {
			beanFactory.addBeanPostProcessor(new EarlyLimits(beans));
		}
	}

	/*
	 * Beans that were there even before.
	 */
	boolean isEarlier(String beanName) {
		return this.earlier.contains(beanName);
	}

	/**
	 * Stands in for the bean post-processor until it is registered.
	 */
	private final class EarlyLimits implements BeanPostProcessor {

		private final AbstractBeanFactory beans;

		private volatile boolean over;

		EarlyLimits(AbstractBeanFactory beans) {
			this.beans = beans;
		}

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			if (this.over || !(RateLimitedMethods.isCandidate(bean.getClass())
					|| RateLimitedMethods.isCandidate(AopUtils.getTargetClass(bean)))) {
				return bean;
			}
			this.over = this.beans.getBeanPostProcessors()
				.stream()
				.anyMatch(RateLimitedBeanPostProcessor.class::isInstance);
			return this.over ? bean : EarlyBeans.this.limits.get().postProcessAfterInitialization(bean, beanName);
		}

	}

}
