package io.github.ratelimit.sample.ai;

import java.util.LinkedHashMap;
import java.util.Map;

import io.github.ratelimit.RateLimiterRegistry;
import reactor.core.publisher.Flux;

import org.springframework.ai.chat.client.ChatClient;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * Asks the model. It knows nothing of limits, but tells what is left of them.
 */
@RestController
class ChatController {

	private static final String EVERYBODY = "everybody";

	private final ChatClient client;

	private final RateLimiterRegistry limits;

	ChatController(ChatClient.Builder builder, RateLimiterRegistry limits) {
		this.client = builder.build();
		this.limits = limits;
	}

	@GetMapping(path = "/chat", produces = MediaType.TEXT_PLAIN_VALUE)
	Flux<String> chat(@RequestParam String question) {
		return this.client.prompt(question).stream().content();
	}

	@GetMapping("/budget")
	Map<String, Long> budget() {
		Map<String, Long> left = new LinkedHashMap<>();
		for (String policy : new String[] { "tokens", "calls", "spend" }) {
			left.put(policy, this.limits.peek(policy, EVERYBODY).remaining());
		}
		return left;
	}

}
