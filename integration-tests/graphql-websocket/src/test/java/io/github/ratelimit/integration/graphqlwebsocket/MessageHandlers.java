package io.github.ratelimit.integration.graphqlwebsocket;

import java.util.concurrent.CompletableFuture;

import io.github.ratelimit.RateLimitInfo;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.annotation.RateLimited;

import org.springframework.messaging.handler.annotation.MessageMapping;
import org.springframework.messaging.simp.annotation.SendToUser;
import org.springframework.messaging.simp.annotation.SubscribeMapping;
import org.springframework.stereotype.Controller;

/**
 * Handlers of messages, each of which may be called once in a test.
 */
@Controller
class MessageHandlers {

	private final RateLimitInfo limits;

	MessageHandlers(RateLimitInfo limits) {
		this.limits = limits;
	}

	@MessageMapping("informed")
	@SendToUser("/queue/replies")
	@RateLimited(name = "informed message", limit = 1, window = "1d", mode = RateLimitMode.INFORM)
	String informed(String name) {
		return this.limits.isExceeded() ? "cheap" : "best";
	}

	@MessageMapping("greet")
	@SendToUser("/queue/replies")
	@RateLimited(name = "greet", limit = 1, window = "1m")
	String greet(String name) {
		return "hello " + name;
	}

	@MessageMapping("future")
	@SendToUser("/queue/replies")
	@RateLimited(name = "future", limit = 1, window = "1d")
	CompletableFuture<String> future(String name) {
		return CompletableFuture.completedFuture("hello " + name);
	}

	@MessageMapping("own")
	@SendToUser("/queue/replies")
	@RateLimited(name = "own", limit = 1, window = "1d", key = "principal.name")
	String own(String name) {
		return "hello " + name;
	}

	@MessageMapping("guess")
	@SendToUser("/queue/replies")
	@RateLimited(name = "word", limit = 1, window = "1d", charge = "result == 'wrong'")
	String guess(String word) {
		return word;
	}

	@SubscribeMapping("news")
	@RateLimited(name = "news", limit = 1, window = "1d")
	String news() {
		return "no news";
	}

}
