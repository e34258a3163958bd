package io.github.ratelimit.integration.documentation.recipes.login;

import java.util.stream.Stream;

import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.integration.documentation.recipes.Recipe;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OwnerRecipeTests {

	@Test
	void accountHasFiveAttemptsForEachAddressAndFiftyInAll() {
		try (Recipe recipe = Recipe.start("Login that keeps its owner in", LoginConfiguration.class)) {
			assertThat(Stream.generate(() -> recipe.post("/login", "username=Ada&password=guess")).limit(6))
				.containsExactly(302, 302, 302, 302, 302, 429);
			RateLimiterRegistry limiters = recipe.bean(RateLimiterRegistry.class);
			assertThat(limiters.peek("login-by-both", "ada 192.0.2.1").remaining()).isEqualTo(5);
			assertThat(limiters.peek("login-by-account", "ada").remaining()).isEqualTo(45);
		}
	}

}
