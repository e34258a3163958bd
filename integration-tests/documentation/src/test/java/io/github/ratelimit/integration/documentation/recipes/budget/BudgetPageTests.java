package io.github.ratelimit.integration.documentation.recipes.budget;

import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.ai.RateLimitAdvisor;
import io.github.ratelimit.integration.documentation.Snippet;
import io.github.ratelimit.integration.documentation.recipes.Recipe;
import io.github.ratelimit.test.ManualClock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.ai.chat.client.ChatClient;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page about budgets for models, on a real server.
 */
public class BudgetPageTests {

	/** The page. */
	public static final Path PATH = Snippet.ROOT.resolve("docs/budgets-for-models.md");

	/* Nobody has logged in. */
	private static final String CLIENT = "address:127.0.0.1";

	@Test
	void aServiceThatStreamsAndAModelHaveTheirBudgets() {
		try (Recipe recipe = start("policy: assistant")) {
			assertThat(recipe.sendAtOnce(1, recipe.request("/stories", "Content-Type", "application/json")
				.POST(BodyPublishers.ofString("{\"text\":\"once\"}")))).containsExactly(200);
			awaitUsed(recipe, "StoryController.story", CLIENT, 4_000);

			assertThat(recipe.get("/answers?question=why")).isEqualTo(200);
			awaitUsed(recipe, "assistant", CLIENT, 1_000);
		}
	}

	@Test
	void aCallIsChargedTokensCallsAndMoney() {
		try (Recipe recipe = start("policies: [ tokens")) {
			assertThat(recipe.get("/answers?question=why")).isEqualTo(200);
			awaitUsed(recipe, "tokens", CLIENT, 1_000);
			awaitUsed(recipe, "calls", CLIENT, 1);
			awaitUsed(recipe, "spend", "everybody", 200 * 3 + 800 * 15);
		}
	}

	@Test
	void aClientHasPoliciesOfItsOwn() {
		try (Recipe recipe = start("policies: [ tokens")) {
			recipe.bean(RateLimiterRegistry.class)
				.register(RateLimitPolicy.builder("gold")
					.limit(RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 1_000_000, Duration.ofDays(1)))
					.charge("usage.totalTokens")
					.build());
			ChatClient.Builder builder = recipe.bean(ChatClient.Builder.class);
			ChatClient gold = builder
				.defaultAdvisors((advisors) -> advisors.param(RateLimitAdvisor.POLICIES, List.of("gold", "spend")))
				.build();
			String answer = gold.prompt("Why?")
				.advisors((advisors) -> advisors.param(RateLimitAdvisor.KEY, "acme"))
				.call()
				.content();
			assertThat(answer).isEqualTo("Because");
			awaitUsed(recipe, "gold", "acme", 1_000);
			awaitUsed(recipe, "spend", "everybody", 12_600);
			awaitUsed(recipe, "tokens", CLIENT, 0);
		}
	}

	private static Recipe start(String configuration) {
		return Recipe.startReactive(
				Snippet.of(PATH).stream().filter((snippet) -> snippet.text().contains(configuration)),
				Application.class);
	}

	private static void awaitUsed(Recipe recipe, String policy, String key, long used) {
		RateLimiterRegistry limits = recipe.bean(RateLimiterRegistry.class);
		long capacity = limits.peek(policy, "nobody").remaining();
		Awaitility.await().until(() -> limits.peek(policy, key).remaining() == capacity - used);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ StoryController.class, AssistantController.class, AnsweringModel.class })
	static class Application {

		@Bean
		ManualClock clock() {
			return ManualClock.atMidnight();
		}

		@Bean
		SecurityWebFilterChain open(ServerHttpSecurity http) {
			return http.csrf((csrf) -> csrf.disable()).build();
		}

	}

}
