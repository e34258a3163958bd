package io.github.ratelimit.integration.documentation.recipes.login;

import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.ratelimit.integration.documentation.recipes.Recipe;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LoginRecipeTests {

	@Test
	void accountHasFiveAttemptsHoweverItsNameIsSpelled() {
		try (Recipe recipe = Recipe.start("Login", LoginConfiguration.class)) {
			assertThat(Stream.of("ada", "Ada", "+ada", "ada+", "ADA", "ada", "aDa", "bob")
				.map((user) -> recipe.post("/login", "username=" + user + "&password=guess")))
				.containsExactly(302, 302, 302, 302, 302, 429, 429, 302);
		}
	}

	@Test
	void addressHasTwentyAttempts() {
		try (Recipe recipe = Recipe.start("Login", LoginConfiguration.class)) {
			assertThat(
					IntStream.range(0, 20).map((i) -> recipe.post("/login", "username=user" + i + "&password=guess")))
				.containsOnly(302);
			assertThat(recipe.post("/login", "username=another&password=guess")).isEqualTo(429);
			assertThat(recipe.get("/login")).isEqualTo(200);
		}
	}

	@Test
	void attemptsWithoutNameAreThoseOfTheAddress() {
		try (Recipe recipe = Recipe.start("Login", LoginConfiguration.class)) {
			assertThat(IntStream.range(0, 6).map((i) -> recipe.post("/login", "password=guess"))).containsExactly(302,
					302, 302, 302, 302, 429);
		}
	}

}
