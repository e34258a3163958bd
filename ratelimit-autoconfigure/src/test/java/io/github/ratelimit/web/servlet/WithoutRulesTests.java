package io.github.ratelimit.web.servlet;

import java.net.http.HttpResponse;

import io.github.ratelimit.annotation.RateLimited;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * In an application that has no rules the {@link RateLimitFilter} is there for errors
 * only.
 */
class WithoutRulesTests {

	private TestServer server;

	@BeforeEach
	void start() {
		this.server = TestServer.start(Controller.class);
	}

	@AfterEach
	void stop() {
		this.server.close();
	}

	@Test
	void theFilterIsNotOnTheWayOfARequest() {
		HttpResponse<String> response = this.server.get("/filtered");
		assertThat(response.body()).isEqualTo("false");
		assertThat(response.headers().firstValue("X-RateLimit-Remaining")).hasValue("4");
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
		@GetMapping("/filtered")
		boolean filtered() {
			return StackWalker.getInstance()
				.walk((frames) -> frames
					.anyMatch((frame) -> frame.getClassName().equals(RateLimitFilter.class.getName())));
		}

		@RateLimited(limit = 5, window = "1h")
		@GetMapping("/fail")
		String fail() {
			throw new IllegalStateException("expected by the test");
		}

	}

}
