package io.github.ratelimit.integration.documentation.recipes.login;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;

/**
 * Users, and otherwise what Spring Boot configures: a login by form and by HTTP Basic.
 */
@Configuration(proxyBeanMethods = false)
class Users {

	@Bean
	UserDetailsService userDetails() {
		return (name) -> User.withUsername(name).password("{noop}secret").build();
	}

}
