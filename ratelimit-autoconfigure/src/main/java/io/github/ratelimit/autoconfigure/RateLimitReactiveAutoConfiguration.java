package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.RateLimiterRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.reactive.result.method.AbstractHandlerMethodMapping;

/**
 * Auto-configuration for reactive web applications, where requests cannot be limited:
 * ends the start instead of allowing all requests.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = RateLimitAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(AbstractHandlerMethodMapping.class)
@ConditionalOnBean({ RateLimitAutoConfiguration.class, RateLimiterRegistry.class })
public final class RateLimitReactiveAutoConfiguration {

	@Bean
	UnsupportedReactiveLimits rateLimitUnsupportedReactiveLimits(RateLimitProperties properties,
			ObjectProvider<AbstractHandlerMethodMapping<?>> mappings) {
		return new UnsupportedReactiveLimits(properties,
				() -> mappings.stream().flatMap((mapping) -> mapping.getHandlerMethods().values().stream()));
	}

}
