package io.github.ratelimit.test.autoconfigure;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.annotation.RateLimited;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
class AccountController {

	@RateLimited(name = "sign-up", limit = 10, window = "1d")
	@GetMapping("/sign-up")
	String signUp() {
		return "welcome";
	}

	@ExceptionHandler
	@ResponseStatus(HttpStatus.TOO_MANY_REQUESTS)
	String rejected(RateLimitExceededException ex) {
		return ex.decision().banned() ? "You are banned" : "Come back later";
	}

}
