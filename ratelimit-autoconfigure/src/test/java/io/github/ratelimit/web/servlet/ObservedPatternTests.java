package io.github.ratelimit.web.servlet;

import io.github.ratelimit.annotation.RateLimited;
import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a rejected request is called in the application's metrics.
 */
class ObservedPatternTests {

	private static final String[] RULES = { "wide: 100 per 1h", "narrow: 1 per 1h", "/** -> wide",
			"/elsewhere -> narrow", "/users/** -> narrow" };

	@Test
	void whatARuleRejectsHasTheRulesPattern() {
		try (TestServer server = TestServer.startWithNeighbours(Controller.class, RULES)) {
			server.get("/users/1");
			for (int i = 0; i < 3; i++) {
				server.get("/users/" + i, "Origin", "https://shop.example").is(429);
			}
			assertCount(server, "/users/**", "429", 3);
			assertCount(server, "/users/{id}", "200", 1);
			assertThat(server.bean(MeterRegistry.class).find("http.server.requests").tag("uri", "UNKNOWN").timer())
				.isNull();
		}
	}

	@Test
	void whatAHandlerRejectsHasTheHandlersPattern() {
		try (TestServer server = TestServer.startWithNeighbours(Controller.class, RULES)) {
			server.get("/annotated/1");
			server.get("/annotated/2").is(429);
			assertCount(server, "/annotated/{id}", "429", 1);
			assertCount(server, "/annotated/{id}", "200", 1);
		}
	}

	/* The observation ends after the response was sent. */
	private static void assertCount(TestServer server, String uri, String status, int count) {
		TestServer.await(() -> {
			var timer = server.bean(MeterRegistry.class)
				.find("http.server.requests")
				.tag("uri", uri)
				.tag("status", status)
				.timer();
			return timer != null && timer.count() == count;
		});
	}

	@RestController
	static class Controller {

		@CrossOrigin("https://shop.example")
		@GetMapping("/users/{id}")
		String user(@PathVariable String id) {
			return id;
		}

		@RateLimited(limit = 1, window = "1h")
		@GetMapping("/annotated/{id}")
		String annotated(@PathVariable String id) {
			return id;
		}

	}

}
