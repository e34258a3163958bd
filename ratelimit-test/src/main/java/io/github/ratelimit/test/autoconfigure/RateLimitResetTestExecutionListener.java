package io.github.ratelimit.test.autoconfigure;

import io.github.ratelimit.store.RateLimitStore;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/**
 * Forgets every key before each test method, so that no test is rejected for what another
 * did. Touches neither a context nor a store that does not exist yet, and no store that
 * others share.
 */
final class RateLimitResetTestExecutionListener implements TestExecutionListener {

	@Override
	public void beforeTestMethod(TestContext testContext) {
		if (testContext.hasApplicationContext()) {
			for (ApplicationContext context = testContext.getApplicationContext(); context != null; context = context
				.getParent()) {
				if (context instanceof ConfigurableApplicationContext configurable && configurable.isActive()) {
					reset(configurable.getBeanFactory());
				}
			}
		}
	}

	private static void reset(ConfigurableListableBeanFactory beanFactory) {
		for (String name : beanFactory.getBeanNamesForType(RateLimitStore.class, false, false)) {
			if (beanFactory.getSingleton(name) instanceof RateLimitStore store) {
				store.forgetAll();
			}
		}
	}

}
