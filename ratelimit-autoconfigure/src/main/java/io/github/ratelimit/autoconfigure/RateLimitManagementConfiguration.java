package io.github.ratelimit.autoconfigure;

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
 * What requests of the actuator need, on whichever port they come.
 */
@ManagementContextConfiguration(proxyBeanMethods = false)
@ConditionalOnBean(WebEndpointsSupplier.class)
@ConditionalOnProperty(name = "ratelimit.enabled", matchIfMissing = true)
@EnableConfigurationProperties(CorsEndpointProperties.class)
class RateLimitManagementConfiguration {

	@Bean
	RateLimitsOperations rateLimitsOperations(WebEndpointsSupplier endpoints, WebEndpointProperties properties,
			EndpointMediaTypes mediaTypes) {
		return new RateLimitsOperations(endpoints, new EndpointMapping(properties.getBasePath()), mediaTypes);
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = Type.SERVLET)
	@ConditionalOnBean(type = "org.springframework.web.servlet.DispatcherServlet")
	static class ServletConfiguration {

		@Bean
		RateLimitsHandlerMapping rateLimitsHandlerMapping(RateLimitsOperations operations,
				CorsEndpointProperties cors) {
			return new RateLimitsHandlerMapping(operations, cors.toCorsConfiguration());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = Type.REACTIVE)
	@ConditionalOnBean(type = "org.springframework.web.reactive.DispatcherHandler")
	static class ReactiveConfiguration {

		@Bean
		ReactiveRateLimitsHandlerMapping rateLimitsHandlerMapping(RateLimitsOperations operations,
				CorsEndpointProperties cors) {
			return new ReactiveRateLimitsHandlerMapping(operations, cors.toCorsConfiguration());
		}

	}

}
