package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.actuate.RateLimitDelayMetrics;
import io.github.ratelimit.actuate.RateLimitMetrics;
import io.github.ratelimit.actuate.RateLimitStoreMetrics;
import io.github.ratelimit.actuate.RateLimitWaitingMetrics;
import io.github.ratelimit.enforce.WaitingRoom;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for the metrics of rate limits.
 */
@AutoConfiguration(after = RateLimitAutoConfiguration.class,
		afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({ RateLimitAutoConfiguration.class, RateLimiterRegistry.class, MeterRegistry.class })
public final class RateLimitMetricsAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	RateLimitMetrics rateLimitMetrics(RateLimiterRegistry limiter) {
		return new RateLimitMetrics(limiter);
	}

	@Bean
	@ConditionalOnMissingBean
	RateLimitWaitingMetrics rateLimitWaitingMetrics(WaitingRoom room) {
		return new RateLimitWaitingMetrics(room);
	}

	@Bean(RunTimeSwitch.STORE_METRICS)
	@ConditionalOnBean(RateLimitStoreAvailability.class)
	RateLimitStoreMetrics rateLimitStoreMetrics(RateLimitStoreAvailability availability) {
		return new RateLimitStoreMetrics(availability);
	}

	@Bean
	@ConditionalOnMissingBean
	RateLimitDelayMetrics rateLimitDelayMetrics() {
		return new RateLimitDelayMetrics();
	}

}
