package io.github.ratelimit.test.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.util.ClassUtils;

/**
 * Keeps the states of tests with {@code @WebMvcTest} or {@code @WebFluxTest} in this
 * process, because they have no connection to Redis.
 */
final class SliceContextCustomizerFactory implements ContextCustomizerFactory {

	private static final List<String> SLICES = List.of(
			"org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureWebMvc",
			"org.springframework.boot.webflux.test.autoconfigure.AutoConfigureWebFlux");

	@Override
	public @Nullable ContextCustomizer createContextCustomizer(Class<?> testClass,
			List<ContextConfigurationAttributes> configAttributes) {
		MergedAnnotations annotations = MergedAnnotations.search(SearchStrategy.TYPE_HIERARCHY)
			.withEnclosingClasses(ClassUtils::isInnerClass)
			.from(testClass);
		return SLICES.stream().anyMatch(annotations::isPresent) ? new LocalStore() : null;
	}

	/**
	 * Equal to any other, so that tests share their contexts.
	 */
	private record LocalStore() implements ContextCustomizer {

		@Override
		public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration mergedConfig) {
			TestPropertyValues.of("ratelimit.store=caffeine").applyTo(context);
		}

	}

}
