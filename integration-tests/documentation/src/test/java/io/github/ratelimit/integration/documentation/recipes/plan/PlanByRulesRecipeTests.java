package io.github.ratelimit.integration.documentation.recipes.plan;

import java.util.stream.Stream;

import io.github.ratelimit.integration.documentation.recipes.Recipe;
import org.junit.jupiter.api.Test;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

class PlanByRulesRecipeTests {

	@Test
	void eachPlanHasItsLimitAndInventedKeysShareThatOfTheAddress() {
		try (Recipe recipe = Recipe.start("Plan by rules", Plans.class, PlainForecastController.class)) {
			assertThat(allowed(recipe, Stream.generate(() -> "key-of-tiny"))).isEqualTo(60);
			assertThat(allowed(recipe, Stream.generate(() -> "key-of-acme"))).isEqualTo(70);
			assertThat(allowed(recipe, Stream.iterate("invented-", (key) -> key + "x"))).isEqualTo(10);
			assertThat(recipe.get("/forecast")).isEqualTo(429);
		}
	}

	private static long allowed(Recipe recipe, Stream<String> apiKeys) {
		return apiKeys.limit(70).filter((key) -> recipe.get("/forecast", "X-Api-Key", key) == 200).count();
	}

	@RestController
	static class PlainForecastController {

		@GetMapping("/forecast")
		String forecast() {
			return "Rain";
		}

	}

}
