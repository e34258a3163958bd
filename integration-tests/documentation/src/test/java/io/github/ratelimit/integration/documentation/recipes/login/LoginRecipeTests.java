package io.github.ratelimit.integration.documentation.recipes.login;

import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.ratelimit.integration.documentation.recipes.Recipe;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LoginRecipeTests {

	@Test
	void accountHasFiveAttemptsHoweverItsNameIsSpelledAndAddressHasTwenty() {
		try (Recipe recipe = Recipe.start("Login", LoginConfiguration.class)) {
			assertThat(Stream.of("ada", "Ada", "+ada", "ada%01", "ADA", "ada", "%09aDa", "bob")
				.map((name) -> attempt(recipe, "username=" + name)))
				.containsExactly(302, 302, 302, 302, 302, 429, 429, 302);
			assertThat(Stream.generate(() -> attempt(recipe, "none")).limit(6)).containsExactly(302, 302, 302, 302, 302,
					429);
			assertThat(IntStream.range(0, 10).mapToObj((i) -> attempt(recipe, "username=user" + i))).endsWith(302, 429);
			assertThat(recipe.get("/login")).isEqualTo(200);
		}
	}

	@Test
	void loginsThatSucceedAreNotCharged() {
		try (Recipe recipe = Recipe.start("Login", LoginConfiguration.class)) {
			assertThat(IntStream.range(0, 30).mapToObj((i) -> recipe.post("/login", "username=ada&password=secret")))
				.containsOnly(302);
			assertThat(Stream.generate(() -> attempt(recipe, "username=ada")).limit(6)).containsExactly(302, 302, 302,
					302, 302, 429);
		}
	}

	private static int attempt(Recipe recipe, String name) {
		return recipe.post("/login", name + "&password=guess");
	}

}
