package io.github.ratelimit.web.servlet;

import java.util.Collections;
import java.util.List;

import io.github.ratelimit.annotation.RateLimited;
import jakarta.servlet.http.HttpServletRequest;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application that has no rules: only what is annotated is limited, and nothing
 * listens for the end of requests unless something is charged by it.
 */
class WithoutRulesTests {

	@AutoClose
	private final TestServer server = TestServer.start(Controller.class);

	@Test
	void applicationsWithoutPoliciesLeaveNoTraceOnARequest() {
		try (TestServer unlimited = TestServer.start(Unlimited.class)) {
			assertThat(unlimited.get("/attributes").body()).isEqualTo("[]");
		}
	}

	/*
	 * As rules: [] of a YAML file is read.
	 */
	@Test
	void anEmptyListHasNoRules() {
		try (TestServer empty = TestServer.start(Unlimited.class, "ratelimit.rules=")) {
			assertThat(empty.get("/attributes").body()).isEqualTo("[]");
		}
	}

	@Test
	void theHeadersOfAnAnnotationSurviveTheErrorDispatch() {
		this.server.get("/fail").is(500, "X-RateLimit-Remaining: 4");
	}

	@RestController
	static class Controller {

		@RateLimited(limit = 5, window = "1h")
		@GetMapping("/fail")
		String fail() {
			throw new IllegalStateException("expected by the test");
		}

	}

	@RestController
	static class Unlimited {

		@GetMapping("/attributes")
		List<String> attributes(HttpServletRequest request) {
			return Collections.list(request.getAttributeNames())
				.stream()
				.filter((name) -> name.startsWith("io.github.ratelimit"))
				.toList();
		}

	}

	@Test
	void anApplicationWhoseAnnotationsHaveAChargeListens() {
		try (TestServer server = TestServer.start(ChargedController.class)) {
			assertThat(server.bean(ServletRateLimits.class).listening).isTrue();
			server.get("/failing").is(500);
			TestServer.await(() -> server.limiter().policy("charged").peek("all").remaining() == 7);
		}
	}

	@Test
	void anApplicationWithoutAChargeDoesNotListen() {
		try (TestServer server = TestServer.start(PlainController.class)) {
			assertThat(server.bean(ServletRateLimits.class).listening).isFalse();
			server.get("/plain").is(200);
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
