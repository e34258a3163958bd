package io.github.ratelimit.web.servlet;

import io.github.ratelimit.annotation.RateLimited;
import org.junit.jupiter.api.Test;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who listens for the end of requests: applications that charge them by their outcome,
 * and no others.
 */
class ListeningTests {

	@Test
	void anApplicationWhoseAnnotationsHaveAChargeListens() {
		try (TestServer server = TestServer.start(ChargedController.class)) {
			assertThat(server.bean(ServletRateLimits.class).listening).isTrue();
			assertThat(server.get("/failing").statusCode()).isEqualTo(500);
			TestServer.await(() -> server.limiter().policy("charged").peek("all").remaining() == 7);
		}
	}

	@Test
	void anApplicationWithoutAChargeDoesNotListen() {
		try (TestServer server = TestServer.start(PlainController.class)) {
			assertThat(server.bean(ServletRateLimits.class).listening).isFalse();
			assertThat(server.get("/plain").statusCode()).isEqualTo(200);
			assertThat(server.limiter().policy("plain").peek("all").remaining()).isEqualTo(9);
		}
	}

	@RestController
	static class ChargedController {

		@GetMapping("/failing")
		@RateLimited(name = "charged", limit = 10, window = "1h", key = "'all'", charge = "status == 500 ? 3 : 0")
		String failing() {
			throw new UnsupportedOperationException("as asked");
		}

	}

	@RestController
	static class PlainController {

		@GetMapping("/plain")
		@RateLimited(name = "plain", limit = 10, window = "1h", key = "'all'")
		String plain() {
			return "plain";
		}

	}

}
