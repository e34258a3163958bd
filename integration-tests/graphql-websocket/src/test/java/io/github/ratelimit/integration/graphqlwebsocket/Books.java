package io.github.ratelimit.integration.graphqlwebsocket;

import io.github.ratelimit.annotation.RateLimited;

import org.springframework.stereotype.Service;

/**
 * A limited service behind handlers.
 */
@Service
class Books {

	@RateLimited(name = "later", limit = 1, window = "1d")
	String later() {
		return "later";
	}

	@RateLimited(name = "expensive", limit = 1, window = "1d")
	String expensive() {
		return "expensive";
	}

}
