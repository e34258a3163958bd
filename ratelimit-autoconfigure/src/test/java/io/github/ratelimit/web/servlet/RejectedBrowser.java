package io.github.ratelimit.web.servlet;

import java.util.Map;

import io.github.ratelimit.annotation.RateLimited;

import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rejected requests of browsers and programs, and what they were answered.
 */
abstract class RejectedBrowser {

	static final String HTML = "text/html";

	/* What browsers send. */
	static final String BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

	static final String[] RULE = { "rule: 1 per 1h", "/ruled/** -> rule" };

	static final String[] PATHS = { "/ruled", "/annotated", "/argument?name=a", "/service", "/ruled/servlet",
			"/limited-servlet" };

	static String[] with(String property) {
		return TestServer.with(RULE, property);
	}

	static void assertPage(TestServer server, String path, String text) {
		Answer response = reject(server, path, BROWSER);
		assertThat(response.body()).as(path).contains(text);
		assertThat(isHtml(response)).as(path).isTrue();
		response.is(429);
		assertHeaders(response);
	}

	static void assertHeaders(Answer response) {
		assertThat(response.all("Retry-After")).containsExactly("3600");
		assertThat(response.all("X-RateLimit-Retry-After")).containsExactly("3600");
		assertThat(response.all("X-RateLimit-Remaining")).containsExactly("0");
		assertThat(response.all("RateLimit")).hasSize(1);
		assertThat(response.all("RateLimit-Policy")).hasSize(1);
	}

	static void assertProblem(Answer response, String asked) {
		assertThat(response.status()).as(asked + ": " + response.body()).isEqualTo(429);
		assertThat(response.field("Content-Type")).startsWith("application/problem+json");
		assertThat(response.body()).startsWith("{\"type\"").endsWith("\"]}");
		assertHeaders(response);
	}

	static Answer reject(TestServer server, String path, String accept) {
		server.get(path);
		return server.get(path, "Accept", accept);
	}

	static boolean isHtml(Answer response) {
		return response.headers().firstValue("Content-Type").orElse("").startsWith(HTML);
	}

	@RestController
	@Import(Greeter.class)
	static class Handler {

		private final Greeter greeter;

		Handler(Greeter greeter) {
			this.greeter = greeter;
		}

		@RequestMapping("/ruled")
		String ruled() {
			return "ruled";
		}

		@RateLimited(limit = 1, window = "1h")
		@GetMapping("/annotated")
		String annotated() {
			return "annotated";
		}

		@RateLimited(limit = 1, window = "1h", key = "#name")
		@GetMapping("/argument")
		public String argument(String name) {
			return name;
		}

		@RateLimited(limit = 1, window = "1h")
		@PostMapping("/body")
		String body(@RequestBody Map<String, String> body) {
			return body.toString();
		}

		@GetMapping("/fail")
		String fail() {
			throw new IllegalStateException("expected by the test");
		}

		@GetMapping("/service")
		String service() {
			return this.greeter.greet();
		}

		@Bean
		static ServletRegistrationBean<?> plain() {
			return Registrations.servlet("/ruled/servlet", (request, response) -> response.setContentLength(5000));
		}

		@Bean
		static ServletRegistrationBean<?> limited(Greeter greeter) {
			return Registrations.servlet("/limited-servlet", (request, response) -> greeter.greetServlet());
		}

	}

	@Service
	static class Greeter {

		@RateLimited(limit = 1, window = "1h")
		public String greet() {
			return "hello";
		}

		@RateLimited(limit = 1, window = "1h")
		public void greetServlet() {
		}

	}

}
