package io.github.ratelimit.integration.browser;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/**
 * Ways in which applications are secured.
 */
final class Secured {

	private Secured() {
	}

	@Configuration(proxyBeanMethods = false)
	static class Open {

		@Bean
		SecurityFilterChain open(HttpSecurity http) {
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())
				.csrf((csrf) -> csrf.disable())
				.build();
		}

	}

	/**
	 * With the tokens that Spring Security keeps in the session.
	 */
	@Configuration(proxyBeanMethods = false)
	static class SessionTokens {

		@Bean
		SecurityFilterChain secured(HttpSecurity http) {
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
				.httpBasic(Customizer.withDefaults())
				.build();
		}

	}

	/**
	 * With the tokens that Spring Security keeps in a cookie for scripts.
	 */
	@Configuration(proxyBeanMethods = false)
	static class CookieTokens {

		@Bean
		SecurityFilterChain secured(HttpSecurity http) {
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
				.httpBasic(Customizer.withDefaults())
				.csrf((csrf) -> csrf.spa())
				.build();
		}

	}

	/**
	 * With a page to sign in, to which whoever is not signed in is led.
	 */
	@Configuration(proxyBeanMethods = false)
	static class LoginPage {

		@Bean
		SecurityFilterChain secured(HttpSecurity http) {
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
				.formLogin(Customizer.withDefaults())
				.build();
		}

	}

	/**
	 * With two users, of whom one may see the page and the other only its files.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Roles {

		@Bean
		SecurityFilterChain secured(HttpSecurity http) {
			return http
				.authorizeHttpRequests((requests) -> requests.requestMatchers("/actuator/ratelimits")
					.hasRole("OPERATOR")
					.anyRequest()
					.authenticated())
				.httpBasic(Customizer.withDefaults())
				.build();
		}

		@Bean
		UserDetailsService users() {
			return new InMemoryUserDetailsManager(
					User.withUsername("operator").password("{noop}secret").roles("OPERATOR").build(),
					User.withUsername("guest").password("{noop}secret").roles("GUEST").build());
		}

	}

}
