package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for applications whose rate limits are turned off: a
 * {@link RateLimiterRegistry} that allows all requests.
 *
 * @since 0.1.0
 */
@AutoConfiguration
@ConditionalOnProperty(name = "ratelimit.enabled", havingValue = "false")
public final class RateLimitSwitchAutoConfiguration {

	private static final Log logger = LogFactory.getLog(RateLimitSwitchAutoConfiguration.class);

	@Bean
	@ConditionalOnMissingBean
	RateLimitClock rateLimitClock() {
		return RateLimitClock.system();
	}

	@Bean(RateLimitAutoConfiguration.REGISTRY)
	@ConditionalOnMissingBean
	RateLimiterRegistry rateLimiterRegistry(RateLimitClock clock) {
		logger.warn("Rate limits are turned off, because ratelimit.enabled is false: annotations and rules have no "
				+ "effect, and RateLimiterRegistry allows all requests.");
		return StoreRateLimiterRegistry.unlimited(clock);
	}

}
