package io.github.ratelimit.integration.documentation.recipes.plan;

import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.ratelimit.integration.documentation.recipes.Recipe;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PlanRecipeTests {

	private final Recipe recipe = Recipe.start("Plan by API key", Plans.class, ForecastController.class);

	@AfterEach
	void close() {
		this.recipe.close();
	}

	@Test
	void eachPlanHasItsLimit() {
		assertThat(allowed("key-of-tiny", 70)).isEqualTo(60);
		assertThat(allowed("key-of-acme", 70)).isEqualTo(70);
	}

	@Test
	void inventedKeysShareTheBudgetOfTheAddress() {
		assertThat(IntStream.range(0, 15).filter((i) -> get("invented-" + i) == 200)).hasSize(10);
		assertThat(this.recipe.get("/forecast")).isEqualTo(429);
		assertThat(get("key-of-tiny")).isEqualTo(200);
	}

	private long allowed(String apiKey, int requests) {
		return Stream.generate(() -> get(apiKey)).limit(requests).filter((status) -> status == 200).count();
	}

	private int get(String apiKey) {
		return this.recipe.get("/forecast", "X-Api-Key", apiKey);
	}

}
