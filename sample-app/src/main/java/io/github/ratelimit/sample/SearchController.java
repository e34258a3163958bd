package io.github.ratelimit.sample;

import java.util.List;

import io.github.ratelimit.annotation.RateLimited;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_COUNTER;

/**
 * A search that anybody may use: smooth, and cheap for any number of clients.
 */
@RestController
class SearchController {

	@RateLimited(algorithm = SLIDING_WINDOW_COUNTER, limit = 100, window = "1m")
	@GetMapping("/search")
	List<String> search(@RequestParam String q) {
		return List.of("Everything about " + q);
	}

}
