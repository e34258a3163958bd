package io.github.ratelimit.integration.graphqlwebsocket;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/**
 * An application with GraphQL over HTTP and WebSocket, and STOMP over WebSocket. Who says
 * who they are is believed.
 */
@SpringBootApplication
class Application {

	@Bean
	SecurityFilterChain security(HttpSecurity http) {
		return http.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())
			.httpBasic(Customizer.withDefaults())
			.csrf((csrf) -> csrf.disable())
			.build();
	}

	@Bean
	InMemoryUserDetailsManager users() {
		return new InMemoryUserDetailsManager(User.withUsername("ada").password("{noop}ada").build(),
				User.withUsername("bob").password("{noop}bob").build(),
				User.withUsername("eve").password("{noop}eve").build());
	}

}
