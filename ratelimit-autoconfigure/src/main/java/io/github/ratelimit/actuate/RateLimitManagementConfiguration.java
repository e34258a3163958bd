package io.github.ratelimit.actuate;

import io.github.ratelimit.web.address.ClientAddressResolver;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.CorsEndpointProperties;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointProperties;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.endpoint.web.EndpointMapping;
import org.springframework.boot.actuate.endpoint.web.EndpointMediaTypes;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Maps requests of the actuator, on whichever port they come.
 */
@ManagementContextConfiguration(proxyBeanMethods = false)
@ConditionalOnBean(WebEndpointsSupplier.class)
@ConditionalOnProperty(name = "ratelimit.enabled", matchIfMissing = true)
@EnableConfigurationProperties(CorsEndpointProperties.class)
class RateLimitManagementConfiguration {

	private static @Nullable InterventionOperations interventions(ObjectProvider<RateLimitsEndpoint> endpoint) {
		RateLimitsEndpoint found = endpoint.getIfAvailable();
		return (found != null) ? found.interventions : null;
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = Type.SERVLET)
	@ConditionalOnBean(type = "org.springframework.web.servlet.DispatcherServlet")
	static class ServletConfiguration {

		@Bean
		RateLimitsHandlerMapping rateLimitsHandlerMapping(WebEndpointsSupplier endpoints,
				WebEndpointProperties properties, EndpointMediaTypes mediaTypes, ObjectProvider<OverrideReader> reader,
				ObjectProvider<RateLimitsEndpoint> endpoint, ObjectProvider<ClientAddressResolver> clientAddresses,
				CorsEndpointProperties cors) {
			return new RateLimitsHandlerMapping(endpoints, new EndpointMapping(properties.getBasePath()), mediaTypes,
					reader.getIfAvailable(), () -> interventions(endpoint), clientAddresses,
					cors.toCorsConfiguration());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = Type.REACTIVE)
	@ConditionalOnBean(type = "org.springframework.web.reactive.DispatcherHandler")
	static class ReactiveConfiguration {

		@Bean
		ReactiveRateLimitsHandlerMapping rateLimitsHandlerMapping(WebEndpointsSupplier endpoints,
				WebEndpointProperties properties, EndpointMediaTypes mediaTypes, ObjectProvider<OverrideReader> reader,
				ObjectProvider<RateLimitsEndpoint> endpoint, ObjectProvider<ClientAddressResolver> clientAddresses,
				CorsEndpointProperties cors) {
			return new ReactiveRateLimitsHandlerMapping(endpoints, new EndpointMapping(properties.getBasePath()),
					mediaTypes, reader.getIfAvailable(), () -> interventions(endpoint), clientAddresses,
					cors.toCorsConfiguration());
		}

	}

}
