package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.actuate.OverrideReader;
import io.github.ratelimit.actuate.RateLimitHistory;
import io.github.ratelimit.actuate.RateLimitsEndpoint;
import io.github.ratelimit.actuate.RateLimitsEndpointWebExtension;
import io.github.ratelimit.expression.KeyResolver;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import io.github.ratelimit.web.address.ClientAddressResolver;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
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
import org.springframework.context.annotation.Lazy;

/**
 * Auto-configuration for {@link RateLimitsEndpoint}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = RateLimitAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBean(RateLimitAutoConfiguration.class)
@ConditionalOnAvailableEndpoint(RateLimitsEndpoint.class)
@EnableConfigurationProperties(RateLimitsEndpointProperties.class)
public final class RateLimitEndpointAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	RateLimitsEndpoint rateLimitsEndpoint(StoreRateLimiterRegistry registry, RateLimitProperties properties,
			ObjectProvider<KeyResolver> keyResolver, ListableBeanFactory beanFactory,
			ClientAddressResolver clientAddresses, ObjectProvider<OverrideReader> reader, RateLimitHistory history,
			ObjectProvider<RateLimitStoreAvailability> availability, ObjectProvider<EndpointAccessResolver> access,
			RateLimitLifecycle lifecycle) {
		return new RateLimitsEndpoint(registry,
				RateLimitAutoConfiguration.defaultKey(properties, keyResolver, beanFactory), clientAddresses::normalize,
				reader.getIfAvailable(), new RateLimitsEndpoint.Parts(history, availability.getIfAvailable(),
						isWritable(access.getIfAvailable()), lifecycle::list));
	}

	static boolean isWritable(@Nullable EndpointAccessResolver access) {
		return access == null || access.accessFor(EndpointId.of("ratelimits"), Access.READ_ONLY) == Access.UNRESTRICTED;
	}

	@Bean
	@ConditionalOnMissingBean
	@Lazy(false)
	RateLimitHistory rateLimitHistory(StoreRateLimiterRegistry registry, RateLimitClock clock,
			RateLimitLifecycle lifecycle) {
		RateLimitHistory history = new RateLimitHistory(registry, clock);
		lifecycle.repeat(history::record, RateLimitHistory.STEP);
		return history;
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBean(RateLimitsEndpoint.class)
	@ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
	RateLimitsEndpointWebExtension rateLimitsEndpointWebExtension(RateLimitsEndpoint endpoint,
			RateLimitsEndpointProperties properties) {
		return new RateLimitsEndpointWebExtension(endpoint, properties.showKeys(), properties.roles());
	}

	@Bean
	@ConditionalOnClass(name = "tools.jackson.databind.json.JsonMapper")
	@ConditionalOnMissingBean(OverrideReader.class)
	ConfiguredOverrides rateLimitOverrideReader() {
		return new ConfiguredOverrides();
	}

}
