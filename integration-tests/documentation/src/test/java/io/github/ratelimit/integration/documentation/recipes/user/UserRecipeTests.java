package io.github.ratelimit.integration.documentation.recipes.user;

import java.util.Base64;
import java.util.stream.Stream;

import io.github.ratelimit.integration.documentation.recipes.Recipe;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class UserRecipeTests {

	@Test
	void userIsLimitedAfterSecurityAndAddressBeforeIt() {
		try (Recipe recipe = Recipe.start("Per user, after Spring Security", UserConfiguration.class)) {
			assertThat(Stream.generate(() -> get(recipe, "ada", "ada")).limit(101)).startsWith(404).endsWith(404, 429);
			assertThat(get(recipe, "bob", "bob")).isEqualTo(404);
			assertThat(Stream.generate(() -> get(recipe, "ada", "guess")).limit(197).distinct()).containsExactly(401);
			assertThat(get(recipe, "ada", "guess")).isEqualTo(401);
			assertThat(get(recipe, "ada", "guess")).isEqualTo(401);
			assertThat(get(recipe, "ada", "guess")).isEqualTo(429);
		}
	}

	private static int get(Recipe recipe, String user, String password) {
		return recipe.get("/api/orders", "Authorization",
				"Basic " + Base64.getEncoder().encodeToString((user + ":" + password).getBytes()));
	}

}
