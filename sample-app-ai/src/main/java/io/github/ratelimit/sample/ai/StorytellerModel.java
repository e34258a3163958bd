package io.github.ratelimit.sample.ai;

import java.time.Duration;
import java.util.List;

import reactor.core.publisher.Flux;

import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.metadata.ChatResponseMetadata;
import org.springframework.ai.chat.metadata.DefaultUsage;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.model.Generation;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.stereotype.Component;

/**
 * A model that needs no key and no network. It answers any question with the same story,
 * a word at a time, and says at the end how many tokens that took, as models do.
 */
@Component
class StorytellerModel implements ChatModel {

	static final List<String> WORDS = List.of(("You ask, and I answer. Once there was a model that talked all day. "
			+ "Nobody had told it what a word costs, and so it never stopped. One morning the bill came. "
			+ "Since then it has a budget, reserves what it may say before it says it, and gives back what it did not "
			+ "need. It talks less now, and its owner sleeps better.")
		.split("(?= )"));

	private volatile Duration pause = Duration.ofMillis(60);

	/**
	 * Sets how long it thinks about each word.
	 */
	void pause(Duration pause) {
		this.pause = pause;
	}

	@Override
	public ChatResponse call(Prompt prompt) {
		return new ChatResponse(List.of(new Generation(new AssistantMessage(String.join("", WORDS)))), usage(prompt));
	}

	@Override
	public Flux<ChatResponse> stream(Prompt prompt) {
		Flux<ChatResponse> words = Flux.fromIterable(WORDS).delayElements(this.pause).map(StorytellerModel::piece);
		return words.concatWith(Flux.defer(() -> Flux.just(new ChatResponse(List.of(), usage(prompt)))));
	}

	private static ChatResponse piece(String word) {
		return new ChatResponse(List.of(new Generation(new AssistantMessage(word))));
	}

	/* A word is about a token. */
	private static ChatResponseMetadata usage(Prompt prompt) {
		int promptTokens = prompt.getContents().split("\\s+").length;
		return ChatResponseMetadata.builder().usage(new DefaultUsage(promptTokens, WORDS.size())).build();
	}

}
