package io.github.ratelimit.integration.webflux.slice;

import java.time.Duration;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.annotation.RateLimited;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * An application whose tests are tested. Its limits allow one request, so that each test
 * fails if it is not the first.
 */
@SpringBootApplication
class SearchApplication {

	@RestController
	static class SearchController {

		@RateLimited(limit = 1, window = "1h")
		@GetMapping("/search")
		Mono<String> search() {
			return Mono.just("found");
		}

		@RateLimited(limit = 1, window = "1h", key = "#user")
		@GetMapping("/history")
		Mono<String> history(String user) {
			return Mono.delay(Duration.ofMillis(1)).thenReturn(user);
		}

		@RateLimited(name = "queue", limit = 1, window = "1s", burst = 5, algorithm = RateLimitAlgorithm.LEAKY_BUCKET)
		@GetMapping("/queue")
		Mono<String> queue() {
			return Mono.just("queued");
		}

		@GetMapping("/login")
		Mono<String> login() {
			return Mono.just("logged in");
		}

	}

}
