package io.github.ratelimit.integration.securitysession;

import java.util.concurrent.ConcurrentHashMap;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.session.MapSessionRepository;
import org.springframework.session.config.annotation.web.http.EnableSpringHttpSession;

/**
 * An application whose users log in by a form, with each request or with a token, and
 * whose sessions are Spring Session's.
 */
@SpringBootApplication
@EnableSpringHttpSession
class Application {

	@Bean
	@Order(1)
	SecurityFilterChain tokens(HttpSecurity http) {
		return http.securityMatcher("/tokens/**")
			.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
			.oauth2ResourceServer((server) -> server.jwt(Customizer.withDefaults()))
			.build();
	}

	@Bean
	JwtDecoder decoder() {
		return NimbusJwtDecoder.withSecretKey(Tokens.KEY).build();
	}

	@Bean
	SecurityFilterChain security(HttpSecurity http) {
		return http
			.authorizeHttpRequests((requests) -> requests.requestMatchers("/v3/api-docs/**", "/swagger-ui/**")
				.permitAll()
				.anyRequest()
				.authenticated())
			.formLogin(Customizer.withDefaults())
			.httpBasic(Customizer.withDefaults())
			.csrf((csrf) -> csrf.disable())
			.build();
	}

	@Bean
	InMemoryUserDetailsManager users() {
		return new InMemoryUserDetailsManager(User.withUsername("ada").password("{noop}ada").build(),
				User.withUsername("bob").password("{noop}bob").build());
	}

	@Bean
	MapSessionRepository sessionRepository() {
		return new MapSessionRepository(new ConcurrentHashMap<>());
	}

}
