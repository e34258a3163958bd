package io.github.ratelimit.actuate;

import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for the metrics of rate limits.
 *
 * @since 0.1.0
 */
@AutoConfiguration(afterName = { "io.github.ratelimit.autoconfigure.RateLimitAutoConfiguration",
		"org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration" })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({ WaitingRoom.class, MeterRegistry.class })
public final class RateLimitMetricsAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	RateLimitMetrics rateLimitMetrics(StoreRateLimiterRegistry registry, WaitingRoom room, RateLimitFindings findings,
			ObjectProvider<RateLimitStoreAvailability> availability) {
		return new RateLimitMetrics(registry, room, findings, availability.getIfAvailable());
	}

}
