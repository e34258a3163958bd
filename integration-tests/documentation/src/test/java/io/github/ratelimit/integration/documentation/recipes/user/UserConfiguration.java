package io.github.ratelimit.integration.documentation.recipes.user;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.web.SecurityFilterChain;

/**
 * Users who authenticate with each request. The name is the password.
 */
@Configuration(proxyBeanMethods = false)
class UserConfiguration {

	@Bean
	SecurityFilterChain security(HttpSecurity http) {
		return http
			.authorizeHttpRequests(
					(requests) -> requests.requestMatchers("/error").permitAll().anyRequest().authenticated())
			.httpBasic(Customizer.withDefaults())
			.build();
	}

	@Bean
	UserDetailsService users() {
		return (name) -> User.withUsername(name).password("{noop}" + name).build();
	}

}
