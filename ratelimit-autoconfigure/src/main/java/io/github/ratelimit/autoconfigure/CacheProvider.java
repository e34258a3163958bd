package io.github.ratelimit.autoconfigure;

import java.util.stream.Stream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;

/**
 * Logs that Spring Boot has chosen Caffeine for the caches of an application that does
 * not say so itself. Caffeine may be on the class path for rate limits only, and Spring
 * Boot cannot tell.
 */
class CacheProvider implements ApplicationListener<ApplicationStartedEvent> {

	private static final String CHOSEN = "org.springframework.boot.cache.autoconfigure.CaffeineCacheConfiguration";

	private static final Log logger = LogFactory.getLog(CacheProvider.class);

	@Override
	public void onApplicationEvent(ApplicationStartedEvent event) {
		ApplicationContext context = event.getApplicationContext();
		if (context.containsBeanDefinition(CHOSEN)
				&& Stream.of("spring.cache.type", "spring.cache.caffeine.spec", "spring.cache.caffeine.async")
					.noneMatch(context.getEnvironment()::containsProperty)) {
			logger.info("Spring Boot has chosen Caffeine for the caches of this application. If Caffeine is on the "
					+ "class path only because of rate limits, set spring.cache.type=simple to have the same caches as "
					+ "without it. Otherwise set spring.cache.type=caffeine to confirm the choice.");
		}
	}

}
