package io.github.ratelimit.annotation;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanFactory;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;

/**
 * Limits beans that are made before the bean post-processors are there, because one of
 * those needs them: adds ours at once, which Spring puts in its place when it adds all.
 *
 * @since 0.1.0
 */
public final class EarlyBeans implements BeanFactoryPostProcessor, PriorityOrdered {

	private final Set<String> earlier = new HashSet<>();

	private final ObjectProvider<RateLimitedBeanPostProcessor> limits;

	/**
	 * Creates the post-processor.
	 * @param limits limits beans
	 */
	public EarlyBeans(ObjectProvider<RateLimitedBeanPostProcessor> limits) {
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
			beanFactory.addBeanPostProcessor(new StandIn(beans, this.limits.getObject()));
		}
	}

	/*
	 * Beans that were there even before.
	 */
	boolean isEarlier(String beanName) {
		return this.earlier.contains(beanName);
	}

	/**
	 * Stands in for the bean post-processor until Spring has placed it. The same one
	 * would be counted twice, and Spring would warn of every bean that it is not
	 * complete.
	 *
	 * @param beans the beans' factory
	 * @param limits the bean post-processor
	 */
	private record StandIn(AbstractBeanFactory beans,
			RateLimitedBeanPostProcessor limits) implements BeanPostProcessor {

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			return this.beans.getBeanPostProcessors().contains(this.limits) ? bean
					: this.limits.postProcessAfterInitialization(bean, beanName);
		}

	}

}
