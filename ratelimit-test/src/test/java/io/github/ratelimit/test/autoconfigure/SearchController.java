package io.github.ratelimit.test.autoconfigure;

import io.github.ratelimit.annotation.RateLimited;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
class SearchController {

	@RateLimited(limit = 1, window = "1h")
	@GetMapping("/search")
	String search() {
		return "found";
	}

	@RateLimited(limit = 1, window = "1h", key = "#user")
	@GetMapping("/history")
	String history(String user) {
		return user;
	}

	@RateLimited("queue")
	@GetMapping("/queue")
	String queue() {
		return "queued";
	}

	@GetMapping("/login")
	String login() {
		return "logged in";
	}

}
