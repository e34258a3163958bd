package io.github.ratelimit.integration.documentation.recipes.stream;

import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.integration.documentation.given.Chunk;
import reactor.core.publisher.Flux;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

@RestController
class ChatController {

	private static final int CHUNKS = 100;

	@RateLimited(limit = 10_000, window = "1d", key = "'all'", cost = "100", chargeEach = "result.tokens()",
			name = "chat-by-annotation")
	@GetMapping(path = "/chats/{tokens}", produces = "text/event-stream")
	Flux<Chunk> chat(@PathVariable long tokens) {
		return Flux.range(0, CHUNKS).map((number) -> new Chunk("word", tokens));
	}

	@RateLimited(policy = "chat", key = "'all'")
	@GetMapping(path = "/priced/{tokens}", produces = "text/event-stream")
	Flux<Chunk> priced(@PathVariable long tokens) {
		return chat(tokens);
	}

	@RateLimited(limit = 100, window = "1h", cost = "10", key = "'all'", charge = "cancelled ? charged : reserved",
			chargeEach = "1", name = "news")
	@GetMapping("/news")
	Flux<String> news() {
		return Flux.just("one", "two");
	}

}
