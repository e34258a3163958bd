package io.github.ratelimit.sample;

import io.github.ratelimit.annotation.RateLimited;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Posts of a user: not too fast, and not too many a day. Both must agree, and a rejection
 * takes nothing from either.
 */
@RestController
class PostController {

	@RateLimited(limit = 1, window = "1s", key = "header('X-User')")
	@RateLimited(limit = 150, window = "1d", key = "header('X-User')")
	@PostMapping("/posts")
	@ResponseStatus(HttpStatus.CREATED)
	Post post(@RequestBody Post post) {
		return post;
	}

	record Post(String text) {
	}

}
