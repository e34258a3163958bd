package io.github.ratelimit.test.autoconfigure;

import java.time.Duration;
import java.util.function.Consumer;

import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.test.ManualClock;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.TestExecutionListener;

/**
 * Forgets every key before each test method, so that no test is rejected for what another
 * did, and takes back after it what it forced, unless the test class has turned that off.
 * Touches neither a context nor a bean that does not exist yet, and no store that others
 * share.
 */
final class RateLimitResetTestExecutionListener implements TestExecutionListener {

	private static final long WEEK = Duration.ofDays(7).toNanos();

	@Override
	public void beforeTestMethod(TestContext testContext) {
		forEachContext(testContext, RateLimitResetTestExecutionListener::reset);
	}

	@Override
	public void afterTestMethod(TestContext testContext) {
		forEachContext(testContext, RateLimitResetTestExecutionListener::release);
	}

	private static void forEachContext(TestContext testContext, Consumer<ConfigurableListableBeanFactory> action) {
		if (!testContext.hasApplicationContext() || !isResetting(testContext.getTestClass())) {
			return;
		}

		for (ApplicationContext context = testContext.getApplicationContext(); context != null; context = context
			.getParent()) {
			if (context instanceof ConfigurableApplicationContext configurable && configurable.isActive()) {
				action.accept(configurable.getBeanFactory());
			}
		}
	}

	private static boolean isResetting(Class<?> testClass) {
		AutoConfigureRateLimit annotation = TestContextAnnotationUtils.findMergedAnnotation(testClass,
				AutoConfigureRateLimit.class);
		return annotation == null || annotation.reset();
	}

	private static void reset(ConfigurableListableBeanFactory beanFactory) {
		release(beanFactory);
		if (beanFactory.getSingleton(TestBeans.CLOCK) instanceof ManualClock clock) {
			alignWindows(clock);
		}
		for (String name : beanFactory.getBeanNamesForType(RateLimitStore.class, false, false)) {
			if (beanFactory.getSingleton(name) instanceof RateLimitStore store) {
				store.forgetAll();
			}
		}
	}

	private static void release(ConfigurableListableBeanFactory beanFactory) {
		if (beanFactory.getSingleton(TestBeans.OUTCOMES) instanceof RateLimitOutcomes outcomes) {
			outcomes.release();
		}
	}

	/*
	 * Windows begin as they did for the test before. If the clock went back to where it
	 * began, time would stand still for all that remembers it.
	 */
	private static void alignWindows(ManualClock clock) {
		clock.advanceNanos(Math.floorMod(-clock.nanos(), WEEK));
	}

}
