package io.github.ratelimit.integration.suite;

import java.io.IOException;

import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.testserver.TestServer;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.web.error.ErrorPage;
import org.springframework.boot.web.error.ErrorPageRegistrar;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A page that the server dispatches to for an error is no request of its own: what it
 * calls sees the request that has failed.
 */
class ServletErrorPagesTests {

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.start(Application.class,
				"reports: 100 per 1d; key=method + ' ' + path + ' ' + pathVariable('id') + ' ' + parameter('name')",
				"raw: 100 per 1d; key=request.method + ' ' + request.requestURI + ' ' + request.queryString",
				"sent: 100 per 1d; key='all'; charge=result == null ? 7 : 0", "logging.level.root=off");
	}

	@BeforeEach
	void forget() {
		// what was answered may be settled a moment later
		server.awaitSettled("sent");
		server.forget();
	}

	@ParameterizedTest
	@ValueSource(strings = { "sent", "thrown" })
	void whatAnErrorPageCallsSeesTheRequestThatHasFailed(String way) {
		server.form("/" + way + "/7?name=ann", "a=b").is(way.equals("sent") ? 410 : 500);
		assertThat(remaining("reports", "POST /" + way + "/{id} 7 ann")).isEqualTo(99);
		assertThat(remaining("raw", "POST /" + way + "/7 name=ann")).isEqualTo(99);
	}

	@Test
	void theResultIsThatOfTheHandlerThatHasFailed() {
		server.form("/sent/7", "a=b").is(410);
		server.awaitSettled("sent");
		assertThat(remaining("sent", "all")).isEqualTo(93);
	}

	@Test
	void theLimitsOfAnErrorPageAreNotAsked() {
		for (int i = 0; i < 3; i++) {
			assertThat(server.form("/sent/7", "a=b").is(410).body()).isEqualTo("gone");
		}
	}

	private static long remaining(String policy, String key) {
		return server.limiter().peek(policy, key).remaining();
	}

	@RestController
	@Import(Reports.class)
	static class Application {

		private final Reports reports;

		Application(Reports reports) {
			this.reports = reports;
		}

		@Bean
		static ErrorPageRegistrar errorPages() {
			return (registry) -> registry.addErrorPages(new ErrorPage(HttpStatus.GONE, "/gone/page?name=other"),
					new ErrorPage(UnsupportedOperationException.class, "/gone/page?name=other"));
		}

		@RateLimited("sent")
		@PostMapping("/sent/{id}")
		@Nullable String send(@PathVariable String id, @RequestParam String a, HttpServletResponse response) throws IOException {
			response.sendError(410);
			return null;
		}

		@PostMapping("/thrown/{id}")
		String fail(@PathVariable String id, @RequestParam String a) {
			throw new UnsupportedOperationException(id);
		}

		@RateLimited(name = "page", limit = 1, window = "1d", key = "'all'", charge = "result == null")
		@RequestMapping("/gone/{id}")
		String gone(@PathVariable String id) {
			this.reports.report();
			return "gone";
		}

	}

	@Service
	static class Reports {

		@RateLimited("reports")
		@RateLimited("raw")
		void report() {
		}

	}

}
