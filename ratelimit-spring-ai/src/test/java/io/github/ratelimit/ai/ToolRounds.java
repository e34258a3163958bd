package io.github.ratelimit.ai;

import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

import org.springframework.ai.chat.messages.MessageType;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.tool.annotation.Tool;

/**
 * A model that asks an expert, which asks the model twice in its turn, and then is done.
 */
class ToolRounds implements Function<Prompt, Flux<ChatResponse>> {

	@Override
	public Flux<ChatResponse> apply(Prompt prompt) {
		MessageType last = prompt.getLastUserOrToolResponseMessage().getMessageType();
		if (last == MessageType.TOOL) {
			return Flux.just(FakeModel.answer("Done", 35, 5));
		}
		if (prompt.getContents().contains("expert")) {
			return Flux.just(FakeModel.answer("Yes", 6, 1));
		}
		return Flux.just(FakeModel.toolCall("expert", 18, 2));
	}

	/**
	 * A tool that asks a model.
	 */
	static class Expert {

		private final @Nullable ChatModel model;

		Expert(@Nullable ChatModel model) {
			this.model = model;
		}

		@Tool(description = "Asks somebody else")
		String expert() {
			if (this.model == null) {
				return "Yes";
			}
			return this.model.call("Dear expert") + this.model.stream("Dear expert").blockLast();
		}

	}

}
