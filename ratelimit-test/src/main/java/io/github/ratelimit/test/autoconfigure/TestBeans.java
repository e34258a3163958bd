package io.github.ratelimit.test.autoconfigure;

import java.util.Arrays;
import java.util.List;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.test.ManualClock;

import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.ConstructorArgumentValues;
import org.springframework.beans.factory.config.RuntimeBeanReference;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.PriorityOrdered;

/**
 * Puts the beans of a test before those of its application, once it is known which beans
 * the application has, and before a test overrides any. The application's own stay, for
 * what asks for them by their class.
 */
final class TestBeans implements BeanFactoryPostProcessor, PriorityOrdered {

	static final String CLOCK = "rateLimitManualClock";

	static final String OUTCOMES = "rateLimitOutcomes";

	private static final String NAME = "rateLimitTestBeans";

	static void register(BeanDefinitionRegistry registry, boolean manualClock) {
		registry.registerBeanDefinition(NAME, new RootBeanDefinition(TestBeans.class));
		registry.registerBeanDefinition(OUTCOMES, new RootBeanDefinition(RateLimitOutcomes.class));
		if (manualClock) {
			RootBeanDefinition clock = new RootBeanDefinition(ManualClock.class);
			clock.setFactoryMethodName("atMidnight");
			registry.registerBeanDefinition(CLOCK, clock);
		}
	}

	@Override
	public int getOrder() {
		return LOWEST_PRECEDENCE;
	}

	/*
	 * A test that was built ahead of time has the store's definition already, but perhaps
	 * not the store.
	 */
	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		if (beanFactory.containsBeanDefinition(CLOCK)) {
			prefer(CLOCK, RateLimitClock.class, beanFactory);
		}
		List<String> stores = others(ForcedStore.BEAN_NAME, RateLimitStore.class, beanFactory);
		if (stores.size() > 1) {
			stores = stores.stream().filter((name) -> beanFactory.getBeanDefinition(name).isPrimary()).toList();
		}
		BeanDefinitionRegistry registry = (BeanDefinitionRegistry) beanFactory;
		boolean registered = registry.containsBeanDefinition(ForcedStore.BEAN_NAME);
		if (stores.size() == 1) {
			if (!registered) {
				registry.registerBeanDefinition(ForcedStore.BEAN_NAME, forcing(stores.get(0)));
			}
			prefer(ForcedStore.BEAN_NAME, RateLimitStore.class, beanFactory);
		}
		else if (registered) {
			registry.removeBeanDefinition(ForcedStore.BEAN_NAME);
		}
	}

	private static RootBeanDefinition forcing(String store) {
		RootBeanDefinition definition = new RootBeanDefinition(ForcedStore.class);
		ConstructorArgumentValues arguments = definition.getConstructorArgumentValues();
		arguments.addIndexedArgumentValue(0, new RuntimeBeanReference(store));
		arguments.addIndexedArgumentValue(1, new RuntimeBeanReference(OUTCOMES));
		arguments.addIndexedArgumentValue(2, new RuntimeBeanReference(RateLimitClock.class));
		return definition;
	}

	private static void prefer(String name, Class<?> type, ConfigurableListableBeanFactory beanFactory) {
		others(name, type, beanFactory).forEach((other) -> beanFactory.getBeanDefinition(other).setPrimary(false));
		beanFactory.getBeanDefinition(name).setPrimary(true);
	}

	private static List<String> others(String own, Class<?> type, ConfigurableListableBeanFactory beanFactory) {
		return Arrays.stream(beanFactory.getBeanNamesForType(type, true, false))
			.filter((name) -> !name.equals(own) && beanFactory.containsBeanDefinition(name)
					&& beanFactory.getBeanDefinition(name).isAutowireCandidate())
			.toList();
	}

}
