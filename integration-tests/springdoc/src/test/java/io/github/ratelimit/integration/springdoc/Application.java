package io.github.ratelimit.integration.springdoc;

import io.github.ratelimit.RateLimitInfo;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.annotation.RateLimited;
import io.swagger.v3.oas.annotations.responses.ApiResponse;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;

@SpringBootApplication
class Application {

	@RestController
	static class Operations {

		@RateLimited(limit = 5, window = "1m")
		@GetMapping("/annotated")
		String annotated() {
			return "";
		}

		@RateLimited(limit = 5, window = "1m")
		@ApiResponse(responseCode = "429", description = "Come back later")
		@GetMapping("/documented")
		String documented() {
			return "";
		}

		@RateLimited(limit = 5, window = "1m", mode = RateLimitMode.SHADOW)
		@GetMapping("/tried")
		String tried() {
			return "";
		}

		@RateLimited(limit = 5, window = "1m", mode = RateLimitMode.INFORM)
		@GetMapping("/informed")
		String informed(RateLimitInfo limits) {
			return limits.exceeded().toString();
		}

		@RateLimited(limit = 5, window = "1m", fallback = "remembered")
		@GetMapping("/cached")
		public String cached() {
			return "";
		}

		@RateLimited(name = "answered", limit = 5, window = "1m", fallback = "remembered")
		@RateLimited(name = "rejected", limit = 50, window = "1h")
		@GetMapping("/partly-cached")
		public String partlyCached() {
			return "";
		}

		@RateLimited(limit = 5, window = "1m", fallback = "remembered")
		@GetMapping("/api/cached")
		public String cachedAndRuled() {
			return "";
		}

		String remembered() {
			return "";
		}

		@GetMapping("/tried/by-rule")
		String triedByRule() {
			return "";
		}

		@GetMapping("/free")
		String free() {
			return "";
		}

		@GetMapping("/api/{id}/items")
		String below(@PathVariable String id) {
			return id;
		}

		@GetMapping("/one/{id}")
		String single(@PathVariable String id) {
			return id;
		}

		@PostMapping("/one/{id}")
		String post(@PathVariable String id) {
			return id;
		}

		@GetMapping("/number/{id}")
		String number(@PathVariable String id) {
			return id;
		}

	}

	@RestControllerAdvice
	static class Advice {

		@ExceptionHandler
		@ResponseStatus(HttpStatus.CONFLICT)
		String conflict(IllegalStateException ex) {
			return "";
		}

	}

}
