package io.github.ratelimit.integration.documentation.recipes.dependency;

import java.util.Collections;
import java.util.List;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.integration.documentation.recipes.Outcomes;
import io.github.ratelimit.integration.documentation.recipes.Recipe;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class DependencyRecipeTests {

	@Test
	void twentyCallsWaitAndTheNextIsRejected() {
		try (Recipe recipe = Recipe.start("Shield a slow dependency", QuoteService.class, QuoteController.class)) {
			List<Integer> statuses = recipe.sendAtOnce(23, recipe.request("/quotes/ACME"));
			assertThat(Collections.frequency(statuses, 200)).isEqualTo(21);
			assertThat(Collections.frequency(statuses, 429)).isEqualTo(2);
			assertThat(recipe.bean(Outcomes.class).count(RateLimitOutcome.DELAYED)).isEqualTo(20);
		}
	}

}
