package io.github.ratelimit.ai;

import java.util.Map;
import java.util.concurrent.CompletableFuture;

import com.openai.errors.OpenAIException;
import com.openai.errors.RateLimitException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.model.openai.autoconfigure.OpenAiChatAutoConfiguration;
import org.springframework.ai.openai.OpenAiChatModel;
import org.springframework.ai.tool.annotation.Tool;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.DependsOn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * What the real client of OpenAI makes of what servers answer.
 */
class OpenAiTests {

	/* It has two tokens, and the message around it four. */
	private static final String QUESTION = "Hello world";

	private static ConfigurableApplicationContext context;

	private static OpenAiServer started;

	private final OpenAiServer server = started;

	private final Budgets budgets = new Budgets(context, new FakeModel());

	private final ChatClient client = this.budgets.client();

	@BeforeAll
	static void start() {
		started = OpenAiServer.start();
		context = Budgets.start(started.properties(), OpenAiChatAutoConfiguration.class);
	}

	@AfterAll
	static void close() {
		context.close();
		started.close();
	}

	@BeforeEach
	void forget() {
		this.budgets.forget();
		this.server.requests.clear();
	}

	@Test
	void callIsChargedTheUsageOfItsAnswer() {
		this.server.then(OpenAiServer.whole(OpenAiServer.text("Hi"), 12, 3));
		assertThat(this.client.prompt(QUESTION).call().content()).isEqualTo("Hi");
		assertThat(this.budgets.used()).isEqualTo(15);
		assertThat(this.server.requests).singleElement().asString().contains("\"max_tokens\":100");
	}

	@Test
	void reservationIsTheMostThatTheModelsOptionsAllow() {
		CompletableFuture<Long> during = new CompletableFuture<>();
		this.server.then((exchange) -> {
			during.complete(this.budgets.used());
			OpenAiServer.whole(OpenAiServer.text("Hi"), 12, 3).answer(exchange);
		});
		this.client.prompt(QUESTION).call().content();
		assertThat(during).isCompletedWithValue(106L);
	}

	@Test
	void streamIsChargedTheUsageOfItsLastChunk() {
		this.server.then(OpenAiServer.stream(12, 3, OpenAiServer.text("Hi"), OpenAiServer.text(" there")));
		assertThat(this.client.prompt(QUESTION).stream().content().collectList().block()).containsSequence("Hi",
				" there");
		assertThat(this.budgets.used()).isEqualTo(15);
		assertThat(this.server.requests).singleElement().asString().contains("\"include_usage\":true");
	}

	@Test
	void streamWithoutUsageIsChargedTheEstimate() {
		this.server.then(OpenAiServer.streamWithoutUsage(OpenAiServer.text("Hello"), OpenAiServer.text(" world")));
		this.client.prompt(QUESTION).stream().content().blockLast();
		assertThat(this.budgets.used()).isEqualTo(6 + 2);
	}

	@Test
	void streamThatTheServerCutsIsChargedWhatWasSent() {
		this.server.then(OpenAiServer.cutStream(OpenAiServer.text("Hello"), OpenAiServer.text(" world")));
		assertThatThrownBy(() -> this.client.prompt(QUESTION).stream().content().blockLast()).isNotNull();
		assertThat(this.budgets.used()).isEqualTo(6 + 2);
	}

	@Test
	void connectionThatIsCutBeforeAnAnswerIsRefunded() {
		this.server.then((exchange) -> exchange.close()).then((exchange) -> exchange.close());
		assertThatExceptionOfType(OpenAIException.class)
			.isThrownBy(() -> this.client.prompt(QUESTION).call().content());
		assertThatThrownBy(() -> this.client.prompt(QUESTION).stream().content().blockLast())
			.hasCauseInstanceOf(OpenAIException.class);
		assertThat(this.budgets.used()).isZero();
	}

	@Test
	void streamThatIsLeftPaysWhatItHasReserved() {
		this.server.then(OpenAiServer.endlessStream(OpenAiServer.text("Hello")));
		assertThat(this.client.prompt(QUESTION).stream().content().blockFirst()).isEqualTo("Hello");
		assertThat(this.budgets.used()).isEqualTo(106);
	}

	@Test
	void tooManyRequestsOfTheProviderAreItsOwnAndAreRefunded() {
		Map<String, String> fields = Map.of("Retry-After", "7", "x-ratelimit-remaining-tokens", "0",
				"x-ratelimit-reset-tokens", "7s");
		this.server.then(OpenAiServer.error(429, "rate_limit_exceeded", fields))
			.then(OpenAiServer.error(429, "insufficient_quota", fields));
		assertThatExceptionOfType(RateLimitException.class)
			.isThrownBy(() -> this.client.prompt(QUESTION).call().content())
			.satisfies((ex) -> assertThat(ex.headers().values("Retry-After")).containsExactly("7"));
		assertThatThrownBy(() -> this.client.prompt(QUESTION).stream().content().blockLast())
			.hasCauseInstanceOf(RateLimitException.class);
		assertThat(this.budgets.used()).isZero();
	}

	@Test
	void eachRoundOfAConversationWithToolsIsCharged() {
		this.server.then(OpenAiServer.whole(OpenAiServer.toolCall("weather"), 20, 5))
			.then(OpenAiServer.whole(OpenAiServer.text("Rain"), 30, 4));
		Weather weather = new Weather(this.budgets);
		assertThat(this.client.prompt(QUESTION).tools(weather).call().content()).isEqualTo("Rain");
		assertThat(weather.usedBefore).isEqualTo(25);
		assertThat(this.budgets.used()).isEqualTo(25 + 34);
		assertThat(this.server.requests).hasSize(2);
	}

	@Test
	void eachRoundOfAStreamWithToolsIsCharged() {
		this.server.then(OpenAiServer.stream(20, 5, OpenAiServer.toolCall("weather")))
			.then(OpenAiServer.stream(30, 4, OpenAiServer.text("Rain")));
		Weather weather = new Weather(this.budgets);
		assertThat(this.client.prompt(QUESTION).tools(weather).stream().content().collectList().block())
			.contains("Rain");
		assertThat(weather.usedBefore).isEqualTo(25);
		assertThat(this.budgets.used()).isEqualTo(25 + 34);
	}

	@Test
	void modelWhoseClassIsFinalIsHadAsAChatModel() {
		assertThat(this.budgets.context().getBean(ChatModel.class)).isNotInstanceOf(OpenAiChatModel.class);
		assertThat(this.budgets.model().getOptions().getMaxTokens()).isEqualTo(100);
	}

	@ParameterizedTest
	@ValueSource(classes = { Needy.class, NeedyAfterTheModel.class })
	void whoNeedsTheFinalClassIsToldWhatToInject(Class<?> needy) {
		Budgets.runner(this.server.properties())
			.withConfiguration(AutoConfigurations.of(OpenAiChatAutoConfiguration.class))
			.withBean("needy", needy)
			.run((context) -> {
				Throwable failure = context.getStartupFailure();
				assertThat(failure).isNotNull();
				FailureAnalysis analysis = new FinalModelFailureAnalyzer().analyze(failure);
				assertThat(analysis.getDescription()).startsWith("A bean of type " + OpenAiChatModel.class.getName());
				assertThat(analysis.getAction()).contains(ChatModel.class.getName(), "@Qualifier");
			});
	}

	@Test
	void whoNeedsAnotherBeanIsToldByOthers() {
		assertThat(new FinalModelFailureAnalyzer()
			.analyze(new IllegalStateException(new NoSuchBeanDefinitionException(FakeModel.class)))).isNull();
	}

	record Needy(OpenAiChatModel model) {

	}

	@DependsOn("openAiChatModel")
	record NeedyAfterTheModel(OpenAiChatModel model) {

	}

	/**
	 * A tool that notes what was used when it was called.
	 */
	static class Weather {

		private final Budgets budgets;

		private long usedBefore;

		Weather(Budgets budgets) {
			this.budgets = budgets;
		}

		@Tool(description = "The weather")
		String weather() {
			this.usedBefore = this.budgets.used();
			return "Rain";
		}

	}

}
