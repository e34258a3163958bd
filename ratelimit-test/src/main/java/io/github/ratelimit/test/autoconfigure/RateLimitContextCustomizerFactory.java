package io.github.ratelimit.test.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;

/**
 * Gives the contexts of tests with {@link AutoConfigureRateLimit} the beans that it
 * promises.
 */
final class RateLimitContextCustomizerFactory implements ContextCustomizerFactory {

	@Override
	public @Nullable ContextCustomizer createContextCustomizer(Class<?> testClass,
			List<ContextConfigurationAttributes> configAttributes) {
		AutoConfigureRateLimit annotation = TestContextAnnotationUtils.findMergedAnnotation(testClass,
				AutoConfigureRateLimit.class);
		return (annotation != null) ? new Beans(annotation.manualClock()) : null;
	}

	/**
	 * Equal to another with the same clock, so that tests share their contexts.
	 */
	private record Beans(boolean manualClock) implements ContextCustomizer {

		/*
		 * Redis goes by its own clock.
		 */
		@Override
		public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration mergedConfig) {
			if (this.manualClock) {
				TestPropertyValues.of("ratelimit.store=caffeine").applyTo(context);
			}
			if (context.getBeanFactory() instanceof BeanDefinitionRegistry registry) {
				TestBeans.register(registry, this.manualClock);
			}
		}

	}

}
