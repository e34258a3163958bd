package io.github.ratelimit.web.servlet;

import java.net.http.HttpResponse;
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
 * An application that has no rules: only what is annotated is limited.
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
		HttpResponse<String> response = this.server.get("/fail");
		assertThat(response.statusCode()).isEqualTo(500);
		assertThat(response.headers().allValues("X-RateLimit-Remaining")).containsExactly("4");
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

}
