package io.github.ratelimit.testserver;

import java.util.Map;

import io.github.ratelimit.annotation.RateLimited;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * An application of what may be limited: by the rules of a test, and by annotations,
 * whose policies a test may override.
 */
@RestController
@Import(Handlers.Greeter.class)
public class Handlers {

	private final Greeter greeter;

	Handlers(Greeter greeter) {
		this.greeter = greeter;
	}

	@RequestMapping({ "/", "/free", "/ruled", "/users/{id}", "/page/{name}" })
	public String ruled() {
		return "ruled";
	}

	@RequestMapping({ "/fail", "/ruled/fail" })
	public String fail() {
		throw new IllegalStateException("expected by the test");
	}

	@RateLimited(limit = 1, window = "1h")
	@GetMapping({ "/annotated", "/both" })
	public String annotated() {
		return "annotated";
	}

	@RateLimited(limit = 1, window = "1h", key = "#name")
	@GetMapping("/argument")
	public Mono<String> argument(@RequestParam String name) {
		return Mono.just(name);
	}

	@RateLimited(limit = 1, window = "1h")
	@PostMapping("/body")
	public String body(@RequestBody Map<String, String> body) {
		return body.toString();
	}

	@GetMapping("/service")
	public String service() {
		return this.greeter.greet();
	}

	@Service
	public static class Greeter {

		@RateLimited(limit = 1, window = "1h")
		public String greet() {
			return "hello";
		}

	}

}
