package io.github.ratelimit.actuate;

import io.github.ratelimit.store.RateLimitStoreAvailability;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for the health of a store that can be unavailable.
 *
 * @since 0.1.0
 */
@AutoConfiguration(afterName = "io.github.ratelimit.autoconfigure.RateLimitRedisAutoConfiguration")
@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnBean(RateLimitStoreAvailability.class)
@ConditionalOnEnabledHealthIndicator("ratelimit")
public final class RateLimitHealthAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = "ratelimitHealthIndicator")
	RateLimitStoreHealthIndicator ratelimitHealthIndicator(RateLimitStoreAvailability availability) {
		return new RateLimitStoreHealthIndicator(availability);
	}

}
