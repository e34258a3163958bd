package io.github.ratelimit.integration.documentation.recipes.login;

import java.util.stream.Stream;

import io.github.ratelimit.integration.documentation.recipes.Recipe;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.web.SecurityFilterChain;

import static org.assertj.core.api.Assertions.assertThat;

class KnownDeviceRecipeTests {

	@Test
	void strangerWhoUsesTheAttemptsUpLeavesThoseOfAKnownDevice() {
		try (Recipe recipe = Recipe.start("Login from a known device", Devices.class, FormConfiguration.class)) {
			String cookie = recipe.cookiesAfter("/login", "username=ada&password=secret");
			assertThat(Stream.generate(() -> recipe.post("/login", "username=ada&password=guess")).limit(6))
				.containsExactly(302, 302, 302, 302, 302, 429);
			assertThat(recipe.post("/login", "username=ada&password=secret")).isEqualTo(429);
			assertThat(recipe.post("/login", "username=ada&password=secret", "Cookie", cookie)).isEqualTo(302);
			assertThat(Stream.generate(() -> recipe.post("/login", "username=ada&password=guess", "Cookie", cookie))
				.limit(6)).containsExactly(302, 302, 302, 302, 302, 429);
		}
	}

	@Test
	void cookieOfAnAccountThatIsSpelledAlikeIsWorthNothing() {
		try (Recipe recipe = Recipe.start("Login from a known device", Devices.class, FormConfiguration.class)) {
			String cookie = recipe.cookiesAfter("/login", "username=ADA&password=secret");
			assertThat(Stream.generate(() -> recipe.post("/login", "username=ada&password=guess", "Cookie", cookie))
				.limit(6)).containsExactly(302, 302, 302, 302, 302, 429);
			assertThat(recipe.post("/login", "username=ada&password=guess")).isEqualTo(429);
		}
	}

	@Test
	void cookieOfAnotherAccountIsWorthNothing() {
		try (Recipe recipe = Recipe.start("Login from a known device", Devices.class, FormConfiguration.class)) {
			String cookie = recipe.cookiesAfter("/login", "username=eve&password=secret");
			assertThat(Stream.generate(() -> recipe.post("/login", "username=ada&password=guess", "Cookie", cookie))
				.limit(6)).containsExactly(302, 302, 302, 302, 302, 429);
			assertThat(recipe.post("/login", "username=ada&password=guess")).isEqualTo(429);
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class FormConfiguration {

		@Bean
		SecurityFilterChain security(HttpSecurity http, Devices devices) {
			return http.formLogin((form) -> form.successHandler(devices)).csrf((csrf) -> csrf.disable()).build();
		}

		@Bean
		UserDetailsService users() {
			return (name) -> User.withUsername(name).password("{noop}secret").build();
		}

	}

}
