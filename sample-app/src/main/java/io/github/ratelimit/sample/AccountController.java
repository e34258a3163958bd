package io.github.ratelimit.sample;

import io.github.ratelimit.annotation.RateLimited;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;

/**
 * Accounts: ten new ones a day from one address, and passwords that cannot be guessed.
 */
@RestController
class AccountController {

	private static final Credentials ADA = new Credentials("ada", "lovelace");

	@RateLimited(name = "sign-up", algorithm = FIXED_WINDOW_COUNTER, limit = 10, window = "1d")
	@PostMapping("/sign-up")
	@ResponseStatus(HttpStatus.CREATED)
	void signUp() {
	}

	/*
	 * Whoever has the password may log in as often as they like: only other attempts are
	 * charged, as the policy says.
	 */
	@RateLimited("login")
	@PostMapping("/login")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void login(@RequestBody Credentials credentials) {
		if (!credentials.equals(ADA)) {
			throw new ResponseStatusException(HttpStatus.UNAUTHORIZED);
		}
	}

	record Credentials(String user, String password) {
	}

}
