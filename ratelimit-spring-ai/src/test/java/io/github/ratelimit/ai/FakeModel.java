package io.github.ratelimit.ai;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.metadata.ChatResponseMetadata;
import org.springframework.ai.chat.metadata.DefaultUsage;
import org.springframework.ai.chat.metadata.Usage;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.model.Generation;
import org.springframework.ai.chat.prompt.ChatOptions;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.model.tool.DefaultToolCallingChatOptions;

/**
 * A model that answers what a test says.
 */
class FakeModel implements ChatModel {

	final Queue<Prompt> prompts = new ConcurrentLinkedQueue<>();

	private volatile Function<Prompt, Flux<ChatResponse>> answers = (prompt) -> Flux.just(answer("Yes", 10, 5));

	/**
	 * Answers in pieces, of which {@code call} gives the last.
	 */
	void answersTo(Function<Prompt, Flux<ChatResponse>> answers) {
		this.answers = answers;
	}

	void answers(ChatResponse... pieces) {
		answersTo((prompt) -> Flux.just(pieces));
	}

	void fails(Throwable failure) {
		answersTo((prompt) -> Flux.error(failure));
	}

	@Override
	public ChatResponse call(Prompt prompt) {
		this.prompts.add(prompt);
		return this.answers.apply(prompt).blockLast();
	}

	@Override
	public Flux<ChatResponse> stream(Prompt prompt) {
		return Flux.defer(() -> {
			this.prompts.add(prompt);
			return this.answers.apply(prompt);
		});
	}

	@Override
	public ChatOptions getOptions() {
		return DefaultToolCallingChatOptions.builder().maxTokens(100).build();
	}

	static ChatResponse answer(String text, int promptTokens, int completionTokens) {
		return answer(new AssistantMessage(text), new DefaultUsage(promptTokens, completionTokens));
	}

	/**
	 * An answer without usage.
	 */
	static ChatResponse piece(String text) {
		return answer(new AssistantMessage(text), null);
	}

	static ChatResponse toolCall(String tool, int promptTokens, int completionTokens) {
		AssistantMessage message = AssistantMessage.builder()
			.content("")
			.toolCalls(List.of(new AssistantMessage.ToolCall("1", "function", tool, "{}")))
			.build();
		return answer(message, new DefaultUsage(promptTokens, completionTokens));
	}

	private static ChatResponse answer(AssistantMessage message, @Nullable Usage usage) {
		ChatResponseMetadata.Builder metadata = ChatResponseMetadata.builder();
		if (usage != null) {
			metadata.usage(usage);
		}
		return new ChatResponse(List.of(new Generation(message)), metadata.build());
	}

}
