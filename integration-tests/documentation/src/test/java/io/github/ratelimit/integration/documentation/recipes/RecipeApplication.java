package io.github.ratelimit.integration.documentation.recipes;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.test.ManualClock;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.web.SecurityFilterChain;

/**
 * What all recipes have. Everybody may do everything, unless a recipe says otherwise; one
 * that only has users gets what Spring Boot configures.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(Outcomes.class)
class RecipeApplication {

	@Bean
	@ConditionalOnMissingBean(RateLimitClock.class)
	ManualClock clock() {
		return ManualClock.atMidnight();
	}

	@Bean
	@ConditionalOnMissingBean({ SecurityFilterChain.class, UserDetailsService.class })
	SecurityFilterChain open(HttpSecurity http) {
		return http.csrf((csrf) -> csrf.disable()).build();
	}

}
