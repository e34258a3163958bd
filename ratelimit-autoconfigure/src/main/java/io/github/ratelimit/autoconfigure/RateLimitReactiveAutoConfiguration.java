package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.web.RateLimitHeaders;
import io.github.ratelimit.web.reactive.RateLimitExceptionHandler;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.reactive.result.method.AbstractHandlerMethodMapping;

/**
 * Auto-configuration for reactive web applications: answers what limited services reject.
 * Requests cannot be limited there, so it fails start-up instead of allowing all of them.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = RateLimitAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(AbstractHandlerMethodMapping.class)
@ConditionalOnBean({ RateLimitAutoConfiguration.class, RateLimiterRegistry.class })
@Import(RateLimitHeadersConfiguration.class)
public final class RateLimitReactiveAutoConfiguration {

	@Bean
	RateLimitExceptionHandler rateLimitExceptionHandler(RateLimiterRegistry limiter, RateLimitHeaders headers) {
		return new RateLimitExceptionHandler(limiter, headers);
	}

	@Bean
	UnsupportedReactiveLimits rateLimitUnsupportedReactiveLimits(RateLimitProperties properties,
			ObjectProvider<AbstractHandlerMethodMapping<?>> mappings) {
		return new UnsupportedReactiveLimits(properties,
				() -> mappings.stream().flatMap((mapping) -> mapping.getHandlerMethods().values().stream()));
	}

}
