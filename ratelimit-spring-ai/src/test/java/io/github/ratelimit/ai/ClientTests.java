package io.github.ratelimit.ai;

import java.util.List;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitExceededException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.model.ChatModel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What a client chooses by the parameters of its advisors.
 */
class ClientTests {

	private static final String[] GOLD = { "ratelimit.policies.gold.limit=1000", "ratelimit.policies.gold.window=1d",
			"ratelimit.policies.gold.charge=usage.totalTokens" };

	@Test
	void clientChoosesItsPoliciesAndItsKey() {
		Budgets.with((budgets) -> {
			ChatClient client = budgets.client();
			client.prompt("Hello")
				.advisors((advisors) -> advisors.param(RateLimitAdvisor.POLICIES, "gold")
					.param(RateLimitAdvisor.KEY, "acme"))
				.call()
				.content();
			assertThat(budgets.used()).isZero();
			assertThat(budgets.used("gold", "acme")).isEqualTo(15);

			client.prompt("Hello")
				.advisors((advisors) -> advisors.param(RateLimitAdvisor.POLICIES, List.of("gold", "tokens"))
					.param(RateLimitAdvisor.KEY, "acme"))
				.stream()
				.content()
				.blockLast();
			assertThat(budgets.used()).as("of the policy that has a key of its own").isEqualTo(15);
			assertThat(budgets.used("gold", "acme")).isEqualTo(30);
		}, GOLD);
	}

	@Test
	void clientMayChooseWhereNoPolicyLimitsEveryCall() {
		Budgets.with((budgets) -> {
			ChatClient gold = budgets.client()
				.mutate()
				.defaultAdvisors((advisors) -> advisors.param(RateLimitAdvisor.POLICIES, "gold")
					.param(RateLimitAdvisor.KEY, "acme"))
				.build();
			gold.prompt("Hello").call().content();
			budgets.client().prompt("Hello").call().content();
			assertThat(budgets.used("gold", "acme")).isEqualTo(15);
		}, "ratelimit.policies.gold.limit=1000", "ratelimit.policies.gold.window=1d",
				"ratelimit.policies.gold.charge=usage.totalTokens", "ratelimit.ai.policies=");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void whatToolsAskAModelIsChargedToTheCallerOfTheConversation(boolean streams) {
		Budgets.with((budgets) -> {
			budgets.fake().answersTo(new ToolRounds());
			ChatClient.ChatClientRequestSpec request = budgets.client()
				.prompt("Hello")
				.advisors((advisors) -> advisors.param(RateLimitAdvisor.POLICIES, "gold")
					.param(RateLimitAdvisor.KEY, "acme"))
				.tools(new ToolRounds.Expert(budgets.model()));
			String answer = streams ? String.join("", request.stream().content().collectList().block())
					: request.call().content();
			assertThat(answer).isEqualTo("Done");
			assertThat(budgets.used()).isZero();
			assertThat(budgets.used("gold", "acme")).as("two rounds, and the model that the tool asks")
				.isEqualTo(20 + 7 + 7 + 40);
		}, GOLD);
	}

	@Test
	void rejectionInALaterRoundEndsTheConversation() {
		Budgets.with((budgets) -> {
			budgets.fake()
				.answersTo((prompt) -> reactor.core.publisher.Flux.just(FakeModel.toolCall("expert", 500, 495)));
			assertThatExceptionOfType(RateLimitExceededException.class)
				.isThrownBy(() -> budgets.client().prompt("Hello").tools(new ToolRounds.Expert(null)).call().content());
		});
	}

	@Test
	void parameterThatMeansNothingIsAnError() {
		Budgets.with((budgets) -> {
			assertThatExceptionOfType(InvalidRateLimitException.class)
				.isThrownBy(() -> call(budgets.client(), RateLimitAdvisor.POLICIES, "glod"))
				.withMessageContaining("names 'glod', which is no policy of ratelimit.policies")
				.satisfies((ex) -> assertThat(ex.action()).contains("gold"));
			assertThatExceptionOfType(InvalidRateLimitException.class)
				.isThrownBy(() -> call(budgets.client(), RateLimitAdvisor.POLICIES, "plain"))
				.withMessageContaining("ratelimit.policies.plain.charge");
			assertThatExceptionOfType(IllegalArgumentException.class)
				.isThrownBy(() -> call(budgets.client(), RateLimitAdvisor.POLICIES, 7))
				.withMessageContaining("java.lang.Integer");
			assertThatExceptionOfType(IllegalArgumentException.class)
				.isThrownBy(() -> call(budgets.client(), RateLimitAdvisor.KEY, ""))
				.withMessageContaining("an empty one");
			assertThat(budgets.fake().prompts).isEmpty();
		}, "ratelimit.policies.gold.limit=1000", "ratelimit.policies.gold.window=1d",
				"ratelimit.policies.gold.charge=usage.totalTokens", "ratelimit.policies.plain.limit=1",
				"ratelimit.policies.plain.window=1d");
	}

	private static void call(ChatClient client, String parameter, Object value) {
		client.prompt("Hello").advisors((advisors) -> advisors.param(parameter, value)).call().content();
	}

	@Test
	void modelsOutsideOfARequestShareABudgetUnlessTheyHaveAKey() {
		Budgets.with((budgets) -> {
			budgets.context().getBean(ChatModel.class).call("Hello");
			assertThat(budgets.used("gold", "shared:")).isEqualTo(15);
		}, "ratelimit.policies.gold.limit=1000", "ratelimit.policies.gold.window=1d", "ratelimit.ai.policy=gold",
				"ratelimit.ai.key=principal.name");
	}

	@Test
	void keyMayReadThePrompt() {
		Budgets.with((budgets) -> {
			budgets.model().call("Hello");
			assertThat(budgets.used("gold", "Hello")).isEqualTo(15);
		}, "ratelimit.policies.gold.limit=1000", "ratelimit.policies.gold.window=1d", "ratelimit.ai.policy=gold",
				"ratelimit.ai.key=#prompt.contents");
	}

}
