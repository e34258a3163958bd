package io.github.ratelimit.integration.documentation.recipes.assistant;

import io.github.ratelimit.RateLimitInfo;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
class AssistantController {

	@GetMapping("/answers")
	String answer(RateLimitInfo limits) {
		// asks the one model or the other
		return limits.isExceeded("assistant") ? "cheap" : "best";
	}

}
