package io.github.ratelimit.integration.securitysession;

import io.github.ratelimit.annotation.RateLimited;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/**
 * Limited and unlimited handlers.
 */
@RestController
class Handlers {

	@GetMapping("/mine")
	@RateLimited(name = "mine", limit = 1, window = "1d", key = "principal.name")
	String mine() {
		return "mine";
	}

	@GetMapping("/cart")
	@RateLimited(name = "cart", limit = 1, window = "1d", key = "session")
	String cart() {
		return "cart";
	}

	@GetMapping("/items/{id}")
	@RateLimited(name = "item", limit = 1, window = "1d", key = "#id")
	String item(@PathVariable String id) {
		return id;
	}

	@GetMapping("/tokens/subject")
	@RateLimited(name = "subject", limit = 1, window = "1d", key = "claim('sub')")
	String subject() {
		return "subject";
	}

	@GetMapping("/tokens/page")
	String tokenPage() {
		return "page";
	}

	@GetMapping("/{area:account|gate|visits}/page")
	String page(@PathVariable String area) {
		return area;
	}

}
