package io.github.ratelimit.web.servlet;

import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.annotation.RateLimited;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.boot.webmvc.autoconfigure.error.ErrorMvcAutoConfiguration;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.view.AbstractView;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * People in front of a browser are shown a page, where programs get a problem.
 */
@ExtendWith(OutputCaptureExtension.class)
class ErrorPageTests {

	private static final String HTML = "text/html";

	/* What browsers send. */
	private static final String BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

	private static final String[] RULE = { "ratelimit.policies.rule.limits[0].limit=1",
			"ratelimit.policies.rule.limits[0].window=1h", "ratelimit.rules[0].path=/ruled/**",
			"ratelimit.rules[0].policy=rule" };

	private static final String[] PATHS = { "/ruled", "/annotated", "/argument?name=a", "/service", "/ruled/servlet",
			"/limited-servlet" };

	@Test
	void aBrowserIsShownTheWhitelabelPage() {
		try (TestServer server = TestServer.start(Handler.class, RULE)) {
			for (String path : PATHS) {
				assertPage(server, path, "Too Many Requests");
				assertThat(reject(server, path, BROWSER).body()).as(path)
					.contains("Whitelabel Error Page")
					.doesNotContain("RateLimitExceededException");
			}
		}
	}

	@Test
	void aProgramGetsAProblem() {
		try (TestServer server = TestServer.start(Handler.class, RULE)) {
			for (String path : PATHS) {
				assertProblem(server, path, "*/*");
				assertProblem(server, path, "application/json");
				assertProblem(server, path, "application/json, text/plain, */*");
			}
			assertThat(server.raw("GET /ruled")).startsWith("http/1.1 429").contains("application/problem+json");
		}
	}

	@Test
	void theChoiceIsTheOneOfBootsErrorController() {
		try (TestServer server = TestServer.start(Handler.class, RULE)) {
			for (String accept : new String[] { HTML, BROWSER, "TEXT/HTML", "text/*", "text/plain, text/html;q=0.9",
					"text/html;q=0.1, */*", "*/*, text/html", "application/json, text/html;q=0.5",
					"application/xhtml+xml", "text/html;level=1", "text/html;charset=utf-8", "image/png, text/html" }) {
				assertThat(isHtml(reject(server, "/ruled", accept))).as(accept)
					.isEqualTo(isHtml(server.get("/missing", "Accept", accept)));
			}
		}
	}

	@Test
	void aMalformedPreferenceDoesNoHarm() {
		try (TestServer server = TestServer.start(Handler.class, RULE)) {
			server.get("/ruled");
			server.get("/annotated");
			for (String accept : new String[] { "text/html;", "text/html,,,;;", "text/html; q=abc", "text/", "/html",
					"text/html/html", "text/html\"", "text/html;q=\"", "%00text/html", "*" }) {
				for (String path : new String[] { "/ruled", "/annotated" }) {
					assertThat(server.raw("GET " + path, "Accept: " + accept)).as(accept)
						.startsWith("http/1.1 429")
						.contains("retry-after: 3600");
				}
			}
		}
	}

	@Test
	void aHugePreferenceDoesNoHarm(CapturedOutput output) {
		try (TestServer server = TestServer.start(Handler.class, RULE)) {
			server.get("/ruled");
			for (String accept : new String[] { "text/html,".repeat(700), "text/html;a=" + "b".repeat(7000),
					"text/" + "x".repeat(7000), "text/html" + ";a=b".repeat(1700) }) {
				assertThat(server.raw("GET /ruled", "Accept: " + accept)).startsWith("http/1.1 429");
			}
			assertThat(output).doesNotContain("WARN").doesNotContain("ERROR");
		}
	}

	@Test
	void theApplicationsPageForTheStatusWins() {
		try (TestServer server = TestServer.start(Handler.class,
				with("spring.web.resources.static-locations=classpath:/pages/"))) {
			for (String path : PATHS) {
				assertPage(server, path, "Slow down");
			}
		}
	}

	@Test
	void theApplicationsPageForSuchStatusesWins() {
		try (TestServer server = TestServer.start(Handler.class,
				with("spring.web.resources.static-locations=classpath:/pages-4xx/"))) {
			for (String path : PATHS) {
				assertPage(server, path, "Something is wrong with the request");
			}
		}
	}

	@Test
	void aViewIsToldThePolicyAndWhenToComeBack() {
		try (TestServer server = TestServer.start(OwnView.class, RULE)) {
			assertPage(server, "/ruled",
					"error=Too Many Requests path=/ruled policy=rule retryAfter=3600 status=429 timestamp");
			assertPage(server, "/annotated",
					"error=Too Many Requests path=/annotated policy=Handler.annotated retryAfter=3600 status=429");
		}
	}

	@Test
	void theViewOfAnApplicationWithItsOwnErrorControllerIsShown() {
		try (TestServer server = TestServer.start(OwnController.class, RULE)) {
			assertPage(server, "/ruled", "policy=rule retryAfter=3600");
			assertPage(server, "/annotated", "policy=Handler.annotated retryAfter=3600");
		}
	}

	@Test
	void anErrorSaysWhyWhereTheApplicationWantsMessages() {
		try (TestServer server = TestServer.start(OwnView.class, with("spring.web.error.include-message=always"))) {
			assertPage(server, "/ruled", "message=Request cannot be satisfied as assigned quota has been exceeded");
		}
	}

	@Test
	void aPageIsShownWhereSpringSecurityWouldNotLetTheErrorDispatchPass() {
		try (TestServer server = TestServer.startSecured(Handler.class, RULE)) {
			assertThat(server.get("/ruled").statusCode()).isEqualTo(401);
			HttpResponse<String> rejected = server.get("/ruled", "Accept", BROWSER);
			assertThat(rejected.statusCode()).isEqualTo(429);
			assertThat(rejected.body()).contains("Whitelabel Error Page");
		}
	}

	@Test
	void aRequestForTheHeaderFieldsHasThoseOfThePage() {
		try (TestServer server = TestServer.start(Handler.class, RULE)) {
			for (String path : PATHS) {
				server.get(path);
				HttpResponse<String> head = server.send("HEAD", path, "", "Accept", HTML);
				assertThat(head.statusCode()).isEqualTo(429);
				assertThat(isHtml(head)).isTrue();
				assertHeaders(head);
				assertThat(head.body()).isEmpty();
			}
		}
	}

	@Test
	void aProblemIsSentWhereThereIsNoPage() {
		try (TestServer server = TestServer.start(Handler.class, with("spring.web.error.whitelabel.enabled=false"))) {
			assertProblem(server, "/ruled", HTML);
			assertProblem(server, "/annotated", HTML);
		}
	}

	@Test
	void aProblemIsSentWhereBootHandlesNoErrors() {
		try (TestServer server = TestServer.start(WithoutErrors.class, RULE)) {
			assertProblem(server, "/ruled", HTML);
			assertProblem(server, "/annotated", HTML);
		}
	}

	@Test
	void aProblemIsSentWhereThePageFails(CapturedOutput output) {
		try (TestServer server = TestServer.start(FailingView.class, RULE)) {
			for (int i = 0; i < 3; i++) {
				assertProblem(server, "/ruled", HTML);
				assertProblem(server, "/annotated", HTML);
			}
			assertThat(output).containsOnlyOnce("The error page for rejected requests failed");
		}
	}

	@Test
	void anExceptionHandlerWins() {
		try (TestServer server = TestServer.start(OwnHandler.class, RULE)) {
			assertAnswer(server, "/ruled", "advice");
			assertAnswer(server, "/annotated", "advice");
		}
	}

	@Test
	void aRejectionHandlerWins() {
		try (TestServer server = TestServer.start(OwnRejectionHandler.class, RULE)) {
			assertAnswer(server, "/ruled", "sorry");
			assertAnswer(server, "/annotated", "sorry");
		}
	}

	private static String[] with(String property) {
		String[] properties = Arrays.copyOf(RULE, RULE.length + 1);
		properties[RULE.length] = property;
		return properties;
	}

	private static void assertPage(TestServer server, String path, String text) {
		HttpResponse<String> response = reject(server, path, BROWSER);
		assertThat(response.body()).as(path).contains(text);
		assertThat(isHtml(response)).as(path).isTrue();
		assertThat(response.statusCode()).isEqualTo(429);
		assertHeaders(response);
	}

	private static void assertProblem(TestServer server, String path, String accept) {
		HttpResponse<String> response = reject(server, path, accept);
		assertThat(response.statusCode()).isEqualTo(429);
		assertThat(response.headers().firstValue("Content-Type").orElseThrow()).as(path + " " + accept)
			.startsWith("application/problem+json");
		assertThat(response.body()).startsWith("{\"type\"").endsWith("\"]}");
		assertHeaders(response);
	}

	private static void assertAnswer(TestServer server, String path, String body) {
		HttpResponse<String> response = reject(server, path, BROWSER);
		assertThat(response.statusCode()).isEqualTo(503);
		assertThat(response.body()).isEqualTo(body);
		assertHeaders(response);
	}

	private static void assertHeaders(HttpResponse<String> response) {
		assertThat(response.headers().allValues("Retry-After")).containsExactly("3600");
		assertThat(response.headers().allValues("X-RateLimit-Remaining")).containsExactly("0");
		assertThat(response.headers().allValues("RateLimit")).hasSize(1);
		assertThat(response.headers().allValues("RateLimit-Policy")).hasSize(1);
	}

	private static HttpResponse<String> reject(TestServer server, String path, String accept) {
		server.get(path);
		return server.get(path, "Accept", accept);
	}

	private static boolean isHtml(HttpResponse<String> response) {
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

		@GetMapping("/service")
		String service() {
			return this.greeter.greet();
		}

		@Bean
		static ServletRegistrationBean<HttpServlet> plain() {
			return new ServletRegistrationBean<>(new HttpServlet() {

				@Override
				protected void doGet(HttpServletRequest request, HttpServletResponse response) {
					response.setContentLength(5000);
				}

			}, "/ruled/servlet");
		}

		@Bean
		static ServletRegistrationBean<HttpServlet> limited(Greeter greeter) {
			return new ServletRegistrationBean<>(new HttpServlet() {

				@Override
				protected void doGet(HttpServletRequest request, HttpServletResponse response) {
					greeter.greetServlet();
				}

			}, "/limited-servlet");
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

	@Configuration(proxyBeanMethods = false)
	@Import(Handler.class)
	static class OwnView {

		@Bean("error")
		View page() {
			return new AbstractView() {

				@Override
				protected void renderMergedOutputModel(Map<String, Object> model, HttpServletRequest request,
						HttpServletResponse response) throws Exception {
					response.setContentType("text/html");
					StringBuilder text = new StringBuilder();
					new TreeMap<>(model)
						.forEach((name, value) -> text.append(name).append('=').append(value).append(' '));
					response.getWriter().print(text);
				}

			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(OwnView.class)
	static class OwnController {

		@Bean
		ErrorController ownErrorController() {
			return new ErrorController() {
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Handler.class)
	static class FailingView {

		@Bean("error")
		View page() {
			return new AbstractView() {

				@Override
				protected void renderMergedOutputModel(Map<String, Object> model, @Nullable HttpServletRequest request,
						HttpServletResponse response) throws Exception {
					response.setContentType("text/html");
					response.getWriter().print("half a page");
					throw new IllegalStateException("expected by the test");
				}

			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Handler.class)
	@EnableAutoConfiguration(exclude = ErrorMvcAutoConfiguration.class)
	static class WithoutErrors {

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Handler.class, Advice.class })
	static class OwnHandler {

	}

	@RestControllerAdvice
	static class Advice {

		@ExceptionHandler(RateLimitExceededException.class)
		ResponseEntity<String> handle() {
			return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE).body("advice");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Handler.class)
	static class OwnRejectionHandler {

		@Bean
		RateLimitRejectionHandler sorry() {
			return (request, response, policy, decision) -> {
				response.setStatus(503);
				response.getWriter().write("sorry");
			};
		}

	}

}
