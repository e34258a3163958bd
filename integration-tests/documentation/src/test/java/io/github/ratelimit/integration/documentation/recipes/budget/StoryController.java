package io.github.ratelimit.integration.documentation.recipes.budget;

import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.integration.documentation.given.Chunk;
import io.github.ratelimit.integration.documentation.given.Question;
import reactor.core.publisher.Flux;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

@RestController
class StoryController {

	@RateLimited(limit = 10_000, window = "1d", key = "principal.name", cost = "500", chargeEach = "result.tokens()")
	@PostMapping(path = "/stories", produces = "text/event-stream")
	Flux<Chunk> story(@RequestBody Question question) {
		return Flux.range(0, 100).map((number) -> new Chunk(question.text(), 40));
	}

}
