package io.github.ratelimit.integration.documentation.recipes.webflux;

import io.github.ratelimit.annotation.RateLimited;
import reactor.core.publisher.Mono;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
class HelloController {

	@RateLimited(limit = 5, window = "10s")
	@GetMapping("/hello")
	Mono<String> hello() {
		return Mono.just("Hello");
	}

}
