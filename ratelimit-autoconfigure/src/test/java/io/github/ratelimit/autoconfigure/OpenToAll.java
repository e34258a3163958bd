package io.github.ratelimit.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

/**
 * Lets Spring Security in, but not in the way.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication
public class OpenToAll {

	@Bean
	SecurityFilterChain securityThatIsOpenToAll(HttpSecurity http) {
		return http.csrf((csrf) -> csrf.disable()).build();
	}

}
