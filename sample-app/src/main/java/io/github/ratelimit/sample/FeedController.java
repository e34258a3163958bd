package io.github.ratelimit.sample;

import java.util.List;

import io.github.ratelimit.annotation.RateLimited;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * A feed that clients poll: a short burst is fine, the average is not to exceed one a
 * second.
 */
@RestController
class FeedController {

	@RateLimited(limit = 60, window = "1m", burst = 3)
	@GetMapping("/feed")
	List<String> feed() {
		return List.of("Good morning");
	}

}
