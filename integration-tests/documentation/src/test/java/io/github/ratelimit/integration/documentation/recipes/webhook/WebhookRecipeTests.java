package io.github.ratelimit.integration.documentation.recipes.webhook;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.integration.documentation.recipes.Outcomes;
import io.github.ratelimit.integration.documentation.recipes.Recipe;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class WebhookRecipeTests {

	@Test
	void eventsToOneHostLeaveFiveASecondAndOthersAtOnce() {
		try (Recipe recipe = Recipe.start("Webhook sender", WebhookSender.class)) {
			WebhookSender sender = recipe.bean(WebhookSender.class);
			List<CompletableFuture<Integer>> sent = IntStream.range(0, 4)
				.mapToObj((i) -> sender.send(URI.create("http://127.0.0.1:" + recipe.port() + "/hook"), "event " + i))
				.toList();
			assertThat(recipe.bean(Outcomes.class).count(RateLimitOutcome.DELAYED)).isEqualTo(3);
			sender.send(URI.create("http://localhost:" + recipe.port() + "/hook"), "event");
			assertThat(recipe.bean(Outcomes.class).count(RateLimitOutcome.ALLOWED)).isEqualTo(2);
			assertThat(sent.stream().map(CompletableFuture::join)).containsOnly(404);
		}
	}

	@Test
	void moreThanTheQueueHoldsFails() {
		try (Recipe recipe = Recipe.start("Webhook sender", WebhookSender.class)) {
			WebhookSender sender = recipe.bean(WebhookSender.class);
			URI url = URI.create("http://127.0.0.1:" + recipe.port() + "/hook");
			for (int i = 0; i < 101; i++) {
				assertThat(sender.send(url, "event")).isNotCompletedExceptionally();
			}
			assertThat(sender.send(url, "event")).failsWithin(Duration.ZERO)
				.withThrowableOfType(ExecutionException.class)
				.withCauseInstanceOf(RateLimitExceededException.class);
		}
	}

}
