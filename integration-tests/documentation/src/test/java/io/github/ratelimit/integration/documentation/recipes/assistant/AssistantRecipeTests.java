package io.github.ratelimit.integration.documentation.recipes.assistant;

import java.util.List;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.integration.documentation.recipes.Recipe;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The same code chooses on both web stacks.
 */
class AssistantRecipeTests {

	private static final int BEST = 20;

	private static Recipe start(boolean reactive) {
		if (reactive) {
			return Recipe.startReactive("A cheaper answer", Open.class, AssistantController.class, Warnings.class,
					ForecastService.class);
		}
		return Recipe.start("A cheaper answer", AssistantController.class, Warnings.class, ForecastService.class);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void whoHasUsedTheBestAnswersGetsCheaperOnesAndIsWarnedBefore(boolean reactive) {
		try (Recipe recipe = start(reactive)) {
			List<String> answers = Stream.generate(() -> recipe.read("/answers", "X-Api-Key", "ada"))
				.limit(BEST + 2)
				.toList();
			assertThat(answers.subList(0, BEST)).containsOnly("best");
			assertThat(answers.subList(BEST, BEST + 2)).containsOnly("cheap");
			assertThat(recipe.read("/answers", "X-Api-Key", "bob")).isEqualTo("best");
			Warnings warnings = recipe.bean(Warnings.class);
			Awaitility.await().until(() -> !warnings.warnings.isEmpty());
			assertThat(warnings.warnings).containsExactly("ada has used 80%");
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aSourceThatMayNotBeAskedIsAnsweredFor(boolean reactive) {
		try (Recipe recipe = start(reactive)) {
			ForecastService forecasts = recipe.bean(ForecastService.class);
			assertThat(Stream.generate(forecasts::forecast).limit(5)).containsOnly("sun");
			RateLimiterRegistry registry = recipe.bean(RateLimiterRegistry.class);
			assertThat(registry.policy("forecast").count(RateLimitOutcome.EXCEEDED)).isEqualTo(3);
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Open {

		@Bean
		SecurityWebFilterChain open(ServerHttpSecurity http) {
			return http.csrf((csrf) -> csrf.disable()).build();
		}

	}

}
