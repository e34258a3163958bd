package io.github.ratelimit.actuate;

import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

/**
 * What docs/actuator.md says about Spring Security.
 */
@Configuration(proxyBeanMethods = false)
class SecuredEndpoint {

	// @formatter:off
	@Bean
	@Order(0)
	SecurityFilterChain rateLimitsEndpointSecurity(HttpSecurity http) {
		return http.securityMatcher(EndpointRequest.to("ratelimits"))
			.authorizeHttpRequests((requests) -> requests.anyRequest().hasRole("ADMIN"))
			.httpBasic(Customizer.withDefaults())
			.csrf((csrf) -> csrf.disable())
			.build();
	}
	// @formatter:on

}
