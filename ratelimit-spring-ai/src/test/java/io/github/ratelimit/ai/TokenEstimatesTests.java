package io.github.ratelimit.ai;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.messages.SystemMessage;
import org.springframework.ai.chat.messages.ToolResponseMessage;
import org.springframework.ai.chat.messages.UserMessage;
import org.springframework.ai.chat.prompt.ChatOptions;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.content.Media;
import org.springframework.ai.model.tool.DefaultToolCallingChatOptions;
import org.springframework.ai.openai.OpenAiChatOptions;
import org.springframework.ai.tokenizer.JTokkitTokenCountEstimator;
import org.springframework.ai.tool.function.FunctionToolCallback;
import org.springframework.util.MimeTypeUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a prompt and its answer are expected to have.
 */
class TokenEstimatesTests {

	private final TokenEstimates estimates = new TokenEstimates(new JTokkitTokenCountEstimator(), 2000);

	@Test
	void eachMessageCountsWithWhatIsAroundIt() {
		assertThat(this.estimates.prompt(new Prompt(new SystemMessage("Hello world"), new UserMessage("Hello world"))))
			.isEqualTo(2 * (4 + 2));
	}

	@Test
	void callsOfToolsAndWhatTheyReturnCount() {
		AssistantMessage call = AssistantMessage.builder()
			.content("")
			.toolCalls(List.of(new AssistantMessage.ToolCall("1", "function", "hello", "hello world")))
			.build();
		ToolResponseMessage response = ToolResponseMessage.builder()
			.responses(List.of(new ToolResponseMessage.ToolResponse("1", "hello", "hello world")))
			.build();
		assertThat(this.estimates.prompt(new Prompt(call, response))).isEqualTo((4 + 1 + 2) + (4 + 2));
	}

	@Test
	void toolsThatThePromptOffersCount() {
		String name = "weather";
		FunctionToolCallback<String, String> tool = FunctionToolCallback.builder(name, (String input) -> input)
			.description("Hello world")
			.inputType(String.class)
			.inputSchema("{}")
			.build();
		Prompt prompt = new Prompt("Hello world",
				DefaultToolCallingChatOptions.builder().toolCallbacks(List.of(tool)).build());
		assertThat(this.estimates.prompt(prompt)).isEqualTo(4 + 2 + 1 + 2 + 1);
	}

	@Test
	void pictureCountsAsOneOfUsualSizeHoweverLongItsEncodingIs() {
		UserMessage message = UserMessage.builder()
			.text("Hello world")
			.media(new Media(MimeTypeUtils.IMAGE_PNG, URI.create("https://localhost/a.png")),
					Media.builder().mimeType(MimeTypeUtils.IMAGE_PNG).data(new byte[1_000_000]).build())
			.build();
		assertThat(this.estimates.prompt(new Prompt(message))).isEqualTo(4 + 2 + 2 * 1000);
	}

	@Test
	void longTextIsCountedInPieces() {
		List<Integer> lengths = new ArrayList<>();
		JTokkitTokenCountEstimator estimator = new JTokkitTokenCountEstimator() {

			@Override
			public int estimate(String text) {
				lengths.add(text.length());
				return super.estimate(text);
			}

		};
		assertThat(new TokenEstimates(estimator, 0).text(" word".repeat(1000))).isEqualTo(1000);
		assertThat(lengths).hasSize(10).containsOnly(500);
	}

	@Test
	void optionsSayHowLongAnAnswerMayBeAndHowManyThereAre() {
		FakeModel model = new FakeModel();
		assertThat(this.estimates.answer(model, new Prompt("Hello"))).isEqualTo(100);
		assertThat(this.estimates.answer(model, prompt(ChatOptions.builder().maxTokens(7).build()))).isEqualTo(7);
		assertThat(this.estimates.answer(model, prompt(ChatOptions.builder().build()))).isEqualTo(2000);
		assertThat(
				this.estimates.answer(model, prompt(OpenAiChatOptions.builder().maxCompletionTokens(9).n(3).build())))
			.isEqualTo(27);
	}

	@Test
	void lengthThatIsNotPositiveIsUnknown() {
		FakeModel model = new FakeModel();
		for (int none : new int[] { -1, 0, Integer.MIN_VALUE }) {
			assertThat(this.estimates.answer(model, prompt(ChatOptions.builder().maxTokens(none).build())))
				.isEqualTo(2000);
			assertThat(this.estimates.answer(model,
					prompt(OpenAiChatOptions.builder().maxCompletionTokens(none).n(none).build())))
				.isEqualTo(2000);
		}
	}

	private static Prompt prompt(ChatOptions options) {
		return new Prompt("Hello", options);
	}

}
