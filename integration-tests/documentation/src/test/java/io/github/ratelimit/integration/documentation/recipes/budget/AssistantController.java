package io.github.ratelimit.integration.documentation.recipes.budget;

import reactor.core.publisher.Flux;

import org.springframework.ai.chat.client.ChatClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
class AssistantController {

	private final ChatClient client;

	AssistantController(ChatClient.Builder builder) {
		this.client = builder.build();
	}

	@GetMapping(path = "/answers", produces = "text/event-stream")
	Flux<String> answer(@RequestParam String question) {
		return this.client.prompt(question).stream().content();
	}

}
