package io.github.ratelimit.autoconfigure;

import java.util.List;
import java.util.stream.Stream;

import com.github.benmanes.caffeine.cache.CacheLoader;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.CaffeineSpec;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Logs that Spring Boot has chosen Caffeine for the caches of an application that does
 * not say so itself. Caffeine may be on the class path for rate limits only, and Spring
 * Boot cannot tell.
 */
class CacheProvider implements ApplicationListener<ApplicationStartedEvent> {

	private static final String PACKAGE = "org.springframework.boot.cache.autoconfigure.";

	private static final List<String> PROPERTIES = List.of("spring.cache.type", "spring.cache.caffeine.spec",
			"spring.cache.caffeine.async");

	private static final Log logger = LogFactory.getLog(CacheProvider.class);

	@Override
	public void onApplicationEvent(ApplicationStartedEvent event) {
		ApplicationContext context = event.getApplicationContext();
		if (context.containsBeanDefinition(PACKAGE + "CaffeineCacheConfiguration") && !isConfigured(context)) {
			logger.info("Spring Boot has chosen Caffeine for the caches of this application. If Caffeine is on the "
					+ "class path only because of rate limits, set spring.cache.type=simple to have the same caches as "
					+ "without it. Otherwise set spring.cache.type=caffeine to confirm the choice.");
		}
	}

	private static boolean isConfigured(ApplicationContext context) {
		Environment environment = context.getEnvironment();
		return PROPERTIES.stream().anyMatch(environment::containsProperty)
				|| Stream.of(Caffeine.class, CaffeineSpec.class, CacheLoader.class)
					.anyMatch((type) -> context.getBeanNamesForType(type, true, false).length > 0)
				|| context.getBeanNamesForType(customizer(context), true, false).length > 0;
	}

	private static ResolvableType customizer(ApplicationContext context) {
		ClassLoader classLoader = context.getClassLoader();
		return ResolvableType.forClassWithGenerics(
				ClassUtils.resolveClassName(PACKAGE + "CacheManagerCustomizer", classLoader),
				ClassUtils.resolveClassName("org.springframework.cache.caffeine.CaffeineCacheManager", classLoader));
	}

}
