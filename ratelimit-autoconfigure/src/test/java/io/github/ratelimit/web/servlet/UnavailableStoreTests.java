package io.github.ratelimit.web.servlet;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.annotation.RateLimited;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What clients see while the store is out of reach: never an error of ours.
 */
class UnavailableStoreTests {

	@ParameterizedTest
	@ValueSource(strings = { "/ruled", "/annotated", "/argument?name=ada" })
	void aPolicyThatRejectsAnswers503AndSaysNothingOfLimits(String path) {
		try (TestServer server = start("reject")) {
			Answer response = server.get(path);
			response.is(503, "Content-Type: application/problem+json", "Retry-After: 1");
			assertThat(response.body()).isEqualTo("{\"title\":\"Service Unavailable\",\"status\":503,"
					+ "\"detail\":\"Whether a quota is exceeded cannot be decided at present\"}");
			assertThat(response.headers().map().keySet()).doesNotContain("ratelimit", "ratelimit-policy",
					"x-ratelimit-limit", "x-ratelimit-remaining");
			assertThat(server.limiter().policy("login").count(RateLimitOutcome.UNAVAILABLE)).isOne();
			assertThat(server.limiter().policy("login").count(RateLimitOutcome.REJECTED)).isZero();
		}
	}

	@Test
	void aPolicyThatAllowsLetsAllPass() {
		try (TestServer server = start("allow")) {
			for (int i = 0; i < 5; i++) {
				server.get("/annotated").is(200);
			}
		}
	}

	@Test
	void aPolicyThatIsEnforcedLocallyIsEnforced() {
		try (TestServer server = start("local")) {
			server.get("/annotated").is(200);
			server.get("/ruled").is(429, "RateLimit: \"login\";r=0;t=60");
			assertThat(server.limiter().policy("login").fallbacks()).isPositive();
		}
	}

	private static TestServer start(String onFailure) {
		return TestServer.startWithNeighbours(Controller.class, "ratelimit.store=redis", "spring.data.redis.port=1",
				"ratelimit.redis.on-failure=" + onFailure, "login: 1 per 1m", "/ruled -> login");
	}

	@RestController
	static class Controller {

		@GetMapping("/ruled")
		String ruled() {
			return "ruled";
		}

		@RateLimited("login")
		@GetMapping("/annotated")
		String annotated() {
			return "annotated";
		}

		@RateLimited(policy = "login", cost = "#name.length() > 0 ? 1 : 0")
		@GetMapping("/argument")
		String argument(String name) {
			return name;
		}

	}

}
