package io.github.ratelimit.integration.documentation.recipes.budget;

import java.util.List;

import reactor.core.publisher.Flux;

import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.metadata.ChatResponseMetadata;
import org.springframework.ai.chat.metadata.DefaultUsage;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.model.Generation;
import org.springframework.ai.chat.prompt.Prompt;

/**
 * A model that answers at once, and uses a thousand tokens.
 */
class AnsweringModel implements ChatModel {

	@Override
	public ChatResponse call(Prompt prompt) {
		return new ChatResponse(List.of(new Generation(new AssistantMessage("Because"))),
				ChatResponseMetadata.builder().usage(new DefaultUsage(200, 800)).build());
	}

	@Override
	public Flux<ChatResponse> stream(Prompt prompt) {
		return Flux.defer(() -> Flux.just(call(prompt)));
	}

}
