package io.github.ratelimit.actuate;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.expression.PolicyBinder;
import io.github.ratelimit.findings.TrafficFindings;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import io.github.ratelimit.web.address.ClientAddressResolver;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.scheduling.config.IntervalTask;

/**
 * Auto-configuration for {@link RateLimitsEndpoint}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(afterName = "io.github.ratelimit.autoconfigure.RateLimitAutoConfiguration")
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBean(PolicyBinder.class)
@ConditionalOnAvailableEndpoint(RateLimitsEndpoint.class)
@EnableConfigurationProperties(RateLimitsEndpointProperties.class)
@ImportRuntimeHints(EndpointHints.class)
public final class RateLimitEndpointAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	RateLimitsEndpoint rateLimitsEndpoint(StoreRateLimiterRegistry registry, PolicyBinder binder,
			ClientAddressResolver clientAddresses, ObjectProvider<OverrideReader> reader, RunningInstance instance,
			InstanceReports reports, RateLimitHistory history, TrafficFindings findings,
			ObjectProvider<RateLimitStoreAvailability> availability, ObjectProvider<EndpointAccessResolver> access) {
		registry.observe((limiter) -> StoreRateLimiter.of(limiter).countRejectedKeys());
		return new RateLimitsEndpoint(registry, binder, clientAddresses::normalize, reader.getIfAvailable(),
				new RateLimitsEndpoint.Parts(instance, reports, history, availability.getIfAvailable(),
						isWritable(access.getIfAvailable()), findings::list));
	}

	/**
	 * Finds whether the endpoint's access permits changes.
	 * @param access the access of all endpoints, or {@code null} if nothing restricts it
	 * @return whether it does
	 */
	public static boolean isWritable(@Nullable EndpointAccessResolver access) {
		return access == null || access.accessFor(EndpointId.of("ratelimits"), Access.READ_ONLY) == Access.UNRESTRICTED;
	}

	@Bean
	@ConditionalOnMissingBean
	RunningInstance rateLimitInstance(Environment environment, RateLimitClock clock) {
		return new RunningInstance(environment, clock);
	}

	@Bean
	@ConditionalOnMissingBean
	RateLimitHistory rateLimitHistory(StoreRateLimiterRegistry registry, RateLimitClock clock,
			RunningInstance instance) {
		return new RateLimitHistory(registry, clock, instance::name);
	}

	@Bean
	@Lazy(false)
	InstanceReports rateLimitInstanceReports(StoreRateLimiterRegistry registry, RunningInstance instance,
			RateLimitHistory history) {
		return new InstanceReports(registry, instance, history);
	}

	@Bean
	IntervalTask rateLimitHistoryTask(RateLimitHistory history) {
		return new IntervalTask(history::record, RateLimitHistory.STEP);
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBean(RateLimitsEndpoint.class)
	@ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
	RateLimitsEndpointWebExtension rateLimitsEndpointWebExtension(RateLimitsEndpoint endpoint,
			RateLimitsEndpointProperties properties) {
		return new RateLimitsEndpointWebExtension(endpoint, properties.showKeys(), properties.roles());
	}

}
