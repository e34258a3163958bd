package io.github.ratelimit.integration.documentation.recipes.stream;

import java.nio.file.Path;

import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.integration.documentation.Snippet;
import io.github.ratelimit.integration.documentation.recipes.Recipe;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;

/**
 * What the page about charges says of streams, on a real server.
 */
class StreamSectionTests {

	private static final Path PATH = Snippet.ROOT.resolve("docs/after-the-decision.md");

	@Test
	void aStreamIsChargedWhatPasses() {
		try (Recipe recipe = Recipe.startReactive(PATH, Application.class)) {
			recipe.get("/chats/25");
			awaitRemaining(recipe, "chat-by-annotation", 10_000 - 2_500);
			recipe.get("/chats/0");
			awaitRemaining(recipe, "chat-by-annotation", 10_000 - 2_500);
			recipe.get("/priced/2");
			awaitRemaining(recipe, "chat", 10_000 - (200 * 3 + 10));
			recipe.get("/news");
			awaitRemaining(recipe, "news", 90);
		}
	}

	private static void awaitRemaining(Recipe recipe, String policy, long remaining) {
		RateLimiterRegistry limiter = recipe.bean(RateLimiterRegistry.class);
		Awaitility.await().until(() -> limiter.peek(policy, "all").remaining() == remaining);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(ChatController.class)
	static class Application {

		@Bean
		SecurityWebFilterChain open(ServerHttpSecurity http) {
			return http.csrf((csrf) -> csrf.disable()).build();
		}

	}

}
