package io.github.ratelimit.integration.suite;

import java.util.List;
import java.util.Map;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.Handlers;
import io.github.ratelimit.testserver.Stack;
import io.github.ratelimit.testserver.TestServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a rejected request is answered: a browser by the error page and a program by a
 * problem, unless the application answers itself.
 */
@ExtendWith(OutputCaptureExtension.class)
class RejectionTests {

	private static final String HTML = "text/html";

	/* What browsers send. */
	private static final String BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

	private static final String[] RULE = { "rule: 1 per 1h", "/ruled/** -> rule" };

	private static final List<String> HANDLED = List.of("/ruled", "/annotated", "/argument?name=a");

	private static final List<String> PATHS = List.of("/ruled", "/annotated", "/argument?name=a", "/service");

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.start(Handlers.class, RULE);
	}

	@BeforeEach
	void forget() {
		server.forget();
	}

	@Test
	void aBrowserIsShownTheWhitelabelPage() {
		for (String path : PATHS) {
			Answer page = assertPage(server, path, "Whitelabel Error Page");
			assertThat(page.body()).as(path).contains("Too Many Requests").doesNotContain("RateLimitExceededException");
		}
	}

	@ParameterizedTest
	@CsvSource({ "pages, Slow down", "pages-4xx, Something is wrong with the request" })
	void theApplicationsPageForTheStatusOrItsKindWins(String folder, String text) {
		try (TestServer server = start(Handlers.class,
				"spring.web.resources.static-locations=classpath:/" + folder + "/")) {
			PATHS.forEach((path) -> assertPage(server, path, text));
		}
	}

	@Test
	void aPageIsShownWhereSpringSecurityWouldNotLetTheErrorDispatchPass() {
		try (TestServer server = TestServer.startSecured(List.of(Handlers.class, Stack.part("Secured")), RULE)) {
			server.get("/ruled").is(401);
			assertThat(server.get("/ruled", "Accept", BROWSER).is(429).body()).contains("Whitelabel Error Page");
		}
	}

	@Test
	void aRequestForTheHeaderFieldsHasThoseOfThePage() {
		for (String path : PATHS) {
			server.get(path);
			Answer head = server.send("HEAD", path, "", "Accept", HTML);
			assertRejected(head, 429, path);
			assertThat(isHtml(head)).isTrue();
			assertThat(head.body()).isEmpty();
		}
	}

	@Test
	void aProgramGetsAProblem() {
		for (String path : PATHS) {
			assertProblem(server, path, "*/*");
			assertProblem(server, path, "application/json");
			assertProblem(server, path, "application/json, text/plain, */*");
		}
		assertThat(server.raw("GET /ruled")).startsWith("http/1.1 429").contains("application/problem+json");
	}

	@Test
	void theChoiceIsTheOneOfBootsErrorController() {
		for (String accept : List.of(HTML, BROWSER, "TEXT/HTML", "text/*", "text/plain, text/html;q=0.9",
				"text/html;q=0.1, */*", "*/*, text/html", "application/json, text/html;q=0.5", "application/xhtml+xml",
				"text/html;level=1", "text/html;charset=utf-8", "image/png, text/html")) {
			assertThat(isHtml(reject(server, "/ruled", accept))).as(accept)
				.isEqualTo(isHtml(server.get("/missing", "Accept", accept)));
		}
	}

	@Test
	void aMalformedOrHugePreferenceDoesNoHarm(CapturedOutput output) {
		server.get("/ruled");
		server.get("/annotated");
		for (String accept : List.of("text/html;", "text/html,,,;;", "text/html; q=abc", "text/", "/html",
				"text/html/html", "text/html\"", "text/html;q=\"", "%00text/html", "*", "text/html,".repeat(700),
				"text/html;a=" + "b".repeat(7000), "text/" + "x".repeat(7000), "text/html" + ";a=b".repeat(1700))) {
			for (String path : List.of("/ruled", "/annotated")) {
				assertThat(server.raw("GET " + path, "Accept: " + accept)).as(accept)
					.startsWith("http/1.1 429")
					.contains("retry-after: 3600");
			}
		}
		assertThat(output).doesNotContain("WARN", "ERROR");
	}

	@Test
	void aHandlerForEveryExceptionDoesNotSwallowARejection() {
		try (TestServer server = start(CatchAllAdvice.class)) {
			HANDLED.forEach((path) -> assertProblem(server, path, "application/json"));
			assertThat(server.get("/fail").body()).isEqualTo("caught");
		}
	}

	@Test
	void theHandlerIsChosenByWhatTheRequestAccepts() {
		try (TestServer server = start(ByMediaType.class)) {
			for (String path : HANDLED) {
				assertChosen(server, path, "application/json", "application/json", "{\"by\":\"json\"}");
				assertChosen(server, path, HTML, HTML, "html");
				assertChosen(server, path, "text/html;q=0.5, application/json", "application/json",
						"{\"by\":\"json\"}");
				assertChosen(server, path, "image/png, text/html", HTML, "html");
				assertProblem(server, path, "image/png");
			}
		}
	}

	@Test
	void theApplicationsAnswerWins() {
		try (TestServer server = start(WithAdvice.class)) {
			HANDLED.forEach((path) -> assertHandled(reject(server, path, BROWSER), "advice: " + policy(path)));
		}
		try (TestServer server = TestServer.start(List.of(Handlers.class, Stack.part("Sorry")), RULE)) {
			for (String path : HANDLED) {
				assertHandled(reject(server, path, BROWSER), "sorry: " + policy(path) + " PT1H");
			}
			server.send("POST", "/body", "{", "Content-Type", "application/json").is(400);
			assertHandled(server.send("POST", "/body", "{", "Content-Type", "application/json"),
					"sorry: Handlers.body PT1H");
		}
	}

	private static String policy(String path) {
		return path.equals("/ruled") ? "rule" : "Handlers." + path.replaceAll("\\W(\\w+).*", "$1");
	}

	@Test
	void aProblemIsSentWhereThereIsNoPage() {
		try (TestServer server = start(Handlers.class, "spring.web.error.whitelabel.enabled=false")) {
			assertProblem(server, "/ruled", HTML);
			assertProblem(server, "/annotated", HTML);
		}
	}

	@Test
	void aControllersOwnHandlerWinsForItsMethodsOnly() {
		try (TestServer server = start(OwnHandler.class)) {
			assertHandled(reject(server, "/own", BROWSER), "own: OwnHandler.own");
			assertProblem(server, "/ruled", "*/*");
			assertProblem(server, "/annotated", "*/*");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "reject", "allow", "local" })
	void whatIsDecidedWithoutTheStoreIsAsConfigured(String onFailure) {
		String[] store = { "ratelimit.store=redis", "spring.data.redis.port=1",
				"ratelimit.redis.on-failure=" + onFailure };
		try (TestServer server = TestServer.startWithNeighbours(Handlers.class, TestServer.with(RULE, store))) {
			for (String path : HANDLED) {
				Answer first = server.get(path);
				Answer second = server.get(path);
				switch (onFailure) {
					case "allow" -> second.is(200);
					case "local" -> assertRejected(second, 429, path);
					default -> assertUnavailable(first);
				}
			}
			assertThat(server.limiter().policy("rule").count(RateLimitOutcome.UNAVAILABLE))
				.isEqualTo(onFailure.equals("reject") ? 2 : 0);
			assertThat(server.limiter().policy("rule").count(RateLimitOutcome.REJECTED))
				.isEqualTo(onFailure.equals("local") ? 1 : 0);
			assertThat(server.limiter().policy("rule").fallbacks()).isPositive();
		}
	}

	private static TestServer start(Class<?> application, String... more) {
		return TestServer.start(application, TestServer.with(RULE, more));
	}

	private static Answer reject(TestServer server, String path, String accept) {
		server.get(path);
		return server.get(path, "Accept", accept);
	}

	private static void assertRejected(Answer response, int status, String asked) {
		assertThat(response.status()).as(asked + ": " + response.body()).isEqualTo(status);
		response.is(status, "Retry-After: 3600", "X-RateLimit-Retry-After: 3600", "X-RateLimit-Remaining: 0");
		assertThat(response.all("RateLimit")).hasSize(1);
		assertThat(response.all("RateLimit-Policy")).hasSize(1);
	}

	private static Answer assertPage(TestServer server, String path, String text) {
		Answer response = reject(server, path, BROWSER);
		assertRejected(response, 429, path);
		assertThat(response.body()).as(path).contains(text);
		assertThat(isHtml(response)).as(path).isTrue();
		return response;
	}

	private static void assertProblem(TestServer server, String path, String accept) {
		Answer response = reject(server, path, accept);
		assertRejected(response, 429, path + " " + accept);
		assertThat(response.field("Content-Type")).startsWith("application/problem+json");
		assertThat(response.body()).startsWith("{\"type\"").endsWith("\"]}");
	}

	private static Answer assertHandled(Answer response, String body) {
		assertRejected(response, 503, body);
		assertThat(response.body()).isEqualTo(body);
		return response;
	}

	private static void assertChosen(TestServer server, String path, String accept, String contentType, String body) {
		Answer response = assertHandled(reject(server, path, accept), body);
		assertThat(response.field("Content-Type")).startsWith(contentType);
	}

	private static void assertUnavailable(Answer response) {
		response.is(503, "Content-Type: application/problem+json", "Retry-After: 1", "RateLimit:", "RateLimit-Policy:",
				"X-RateLimit-Limit:", "X-RateLimit-Remaining:");
		assertThat(response.body()).isEqualTo("{\"title\":\"Service Unavailable\",\"status\":503,"
				+ "\"detail\":\"Whether a quota is exceeded cannot be decided at present\"}");
	}

	private static boolean isHtml(Answer response) {
		return response.headers().firstValue("Content-Type").orElse("").startsWith(HTML);
	}

	@Import(Handlers.class)
	@RestControllerAdvice
	static class CatchAllAdvice {

		@ExceptionHandler(RuntimeException.class)
		@ResponseStatus(HttpStatus.INTERNAL_SERVER_ERROR)
		String caught() {
			return "caught";
		}

	}

	@Order(1)
	@Import(WithAdvice.SpecificAdvice.class)
	@RestControllerAdvice
	static class WithAdvice extends CatchAllAdvice {

		@Order(2)
		@RestControllerAdvice
		static class SpecificAdvice {

			@ExceptionHandler
			ResponseEntity<String> handle(RateLimitExceededException ex) {
				return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE).body("advice: " + ex.policy().name());
			}

		}

	}

	@RestControllerAdvice
	static class ByMediaType extends CatchAllAdvice {

		@ExceptionHandler(exception = RateLimitExceededException.class, produces = HTML)
		@ResponseStatus(HttpStatus.SERVICE_UNAVAILABLE)
		String html() {
			return "html";
		}

		@ExceptionHandler(exception = RateLimitExceededException.class, produces = "application/json")
		@ResponseStatus(HttpStatus.SERVICE_UNAVAILABLE)
		Map<String, String> json() {
			return Map.of("by", "json");
		}

	}

	@Import(Handlers.class)
	@RestController
	static class OwnHandler {

		@RateLimited(limit = 1, window = "1h")
		@GetMapping("/own")
		String own() {
			return "own";
		}

		@ExceptionHandler(RateLimitExceededException.class)
		@ResponseStatus(HttpStatus.SERVICE_UNAVAILABLE)
		String handle(RateLimitExceededException ex) {
			return "own: " + ex.policy().name();
		}

	}

}
