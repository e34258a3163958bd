package io.github.ratelimit.integration.suite;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.Handlers;
import io.github.ratelimit.testserver.SecuredUsers;
import io.github.ratelimit.testserver.Stack;
import io.github.ratelimit.testserver.TestServer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.CorsFilter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A browser shows a script a rejection, not a CORS error, wherever it may read the
 * answers; and what browsers ask before is not counted.
 */
@Tag("stack")
class CrossOriginTests {

	private static final String ORIGIN = Stack.ORIGIN;

	private static final String[] EXPOSED = { "RateLimit-Policy", "RateLimit", "X-RateLimit-Limit",
			"X-RateLimit-Remaining", "X-RateLimit-Reset", "Retry-After", "X-RateLimit-Retry-After" };

	private static final String[] RULE = { "one: 1 per 1h", "/ruled/** -> one" };

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.start(Controller.class, RULE);
	}

	@BeforeEach
	void forget() {
		server.forget();
	}

	@Test
	void aResponseAndItsFieldsAreReadableWhereTheControllerAllowsTheOrigin() {
		assertReadable(server, "/ruled/crossorigin");
		assertReadable(server, "/crossorigin");
	}

	@ParameterizedTest
	@ValueSource(strings = { "CorsMappings", "CorsOfSecurity", "CorsFilter" })
	void aResponseAndItsFieldsAreReadableWhereTheApplicationAllowsTheOrigin(String part) {
		List<Class<?>> sources = List.of(Handlers.class, Stack.part(part));
		try (TestServer server = part.endsWith("Security") ? TestServer.startSecured(sources, RULE)
				: TestServer.start(sources, RULE)) {
			assertReadable(server, "/ruled");
			assertReadable(server, "/annotated");
		}
	}

	@Test
	void aRejectionIsNotReadableWhereNobodyAllowsTheOrigin() {
		server.get("/ruled");
		get(server, "/ruled", ORIGIN).is(429, "Access-Control-Allow-Origin:");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/ruled/crossorigin", "/crossorigin" })
	void preflightsAreAnsweredAndNotCounted(String path) {
		long allowed = sum((policy) -> policy.count(RateLimitOutcome.ALLOWED));
		long keys = sum(RateLimiter::keys);
		for (int i = 0; i < 3; i++) {
			server.send("OPTIONS", path, "", "Origin", ORIGIN, "Access-Control-Request-Method", "GET")
				.is(200, "Access-Control-Allow-Origin: " + ORIGIN, "RateLimit:");
		}
		assertThat(sum((policy) -> policy.count(RateLimitOutcome.ALLOWED))).isEqualTo(allowed);
		assertThat(sum(RateLimiter::keys)).isLessThanOrEqualTo(keys);
		get(server, path, ORIGIN).is(200);
	}

	@Test
	void aPasswordThatSpringSecurityChecksCountsAlsoInWhatLooksLikeAPreflight() {
		try (TestServer server = TestServer.startSecured(List.of(Handlers.class, Stack.part("LoginsByField")),
				"login: 5 per 15m; algorithm=sliding-window-log; key='all'; charge=authenticationFailed",
				"/ruled/** -> login")) {
			for (int i = 0; i < 20; i++) {
				preflight(server, SecuredUsers.FIELD, "ann:secret").is(200);
				server.awaitSettled("login");
			}
			for (int i = 0; i < 40; i++) {
				preflight(server, SecuredUsers.FIELD, "ann:guess").is((i < 5) ? 401 : 429);
				server.awaitSettled("login");
			}
			preflight(server, SecuredUsers.FIELD, "ann:secret").is(429, "Access-Control-Allow-Origin: " + ORIGIN,
					"Retry-After: 900");
			preflight(server).is(200, "Access-Control-Allow-Origin: " + ORIGIN, "RateLimit:");
			server.get("/ruled", SecuredUsers.FIELD, "ann:secret").is(429);
		}
	}

	@Test
	void theFieldsAreExposedToNobodyElse() {
		for (int i = 0; i < 2; i++) {
			for (String path : List.of("/ruled/crossorigin", "/crossorigin", "/ruled", "/annotated")) {
				assertThat(exposed(server.get(path))).isEmpty();
				assertThat(exposed(get(server, path, "https://evil.example"))).isEmpty();
			}
		}
	}

	@Test
	void theApplicationMayExposeTheFieldsItself() {
		for (int i = 0; i < 2; i++) {
			assertThat(exposed(get(server, "/ruled/any", ORIGIN))).containsExactly("*");
			assertThat(exposed(get(server, "/any", ORIGIN))).containsExactly("*");
			assertThat(exposed(get(server, "/some", ORIGIN))).containsExactlyInAnyOrder("X-Total", "ratelimit",
					"RateLimit-Policy", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset",
					"Retry-After", "X-RateLimit-Retry-After");
			assertThat(exposed(get(server, "/credentials", ORIGIN))).contains("*")
				.containsAll(List.of(EXPOSED))
				.doesNotHaveDuplicates();
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			headers=rate-limit        | RateLimit-Policy,RateLimit,Retry-After | RateLimit-Policy,RateLimit,Retry-After
			headers=                  | ''                                     | Retry-After
			cors.expose-headers=false | ''                                     | ''
			""")
	void onlyTheFieldsThatAreSentAreExposedAndNoneIfTheApplicationSaysSo(String property, String allowed,
			String rejected) {
		try (TestServer server = TestServer.start(Controller.class, TestServer.with(RULE, "ratelimit." + property))) {
			for (String path : List.of("/ruled/crossorigin", "/crossorigin")) {
				Answer first = get(server, path, ORIGIN).is(200);
				assertThat(String.join(",", exposed(first))).isEqualTo(allowed);
				assertThat(first.field("RateLimit") != null).isNotEqualTo(property.equals("headers="));
				assertThat(String.join(",", exposed(get(server, path, ORIGIN).is(429)))).isEqualTo(rejected);
			}
		}
	}

	@Test
	void whatIsRejectedIsObservedByThePatternOfTheRuleOrOfTheHandler() {
		try (TestServer server = TestServer.startWithNeighbours(Controller.class, "wide: 100 per 1h", "one: 1 per 1h",
				"/** -> wide", "/elsewhere -> one", "/ruled/** -> one")) {
			for (String path : List.of("/ruled/crossorigin", "/crossorigin/1")) {
				get(server, path, ORIGIN).is(200);
				get(server, path, ORIGIN).is(429);
				get(server, path, ORIGIN).is(429);
			}
			assertCount(server, "/ruled/crossorigin", "200", 1);
			assertCount(server, "/ruled/**", "429", 2);
			assertCount(server, "/crossorigin/{id}", "200", 1);
			assertCount(server, "/crossorigin/{id}", "429", 2);
			assertThat(server.bean(MeterRegistry.class).find("http.server.requests").tag("uri", "UNKNOWN").timer())
				.isNull();
		}
	}

	/* The observation ends after the response was sent. */
	private static void assertCount(TestServer server, String uri, String status, int count) {
		TestServer.await(() -> {
			Timer timer = server.bean(MeterRegistry.class)
				.find("http.server.requests")
				.tags("uri", uri, "status", status)
				.timer();
			return timer != null && timer.count() == count;
		});
	}

	@Test
	void anOriginThatIsNoneDoesNoHarm() {
		server.get("/ruled/crossorigin");
		for (String origin : List.of("null", "", "%%%", "http://[", "x".repeat(5000))) {
			assertThat(server.raw("GET /ruled/crossorigin", "Origin: " + origin)).startsWith("http/1.1 429")
				.doesNotContain("access-control-allow-origin");
		}
	}

	private static long sum(ToLongFunction<RateLimiter> count) {
		return server.limiter().policies().stream().mapToLong(count).sum();
	}

	private static List<String> exposed(Answer response) {
		return response.all("Access-Control-Expose-Headers")
			.stream()
			.flatMap((field) -> Arrays.stream(field.split(", ?")))
			.toList();
	}

	private static void assertReadable(TestServer server, String path) {
		Answer allowed = get(server, path, ORIGIN).is(200);
		Answer rejected = get(server, path, ORIGIN).is(429, "Retry-After: 3600");
		for (Answer response : List.of(allowed, rejected)) {
			assertThat(response.all("Access-Control-Allow-Origin")).containsExactly(ORIGIN);
			assertThat(exposed(response)).containsExactly(EXPOSED);
			assertThat(String.join(",", response.all("Vary"))).containsOnlyOnce("Origin");
		}
		assertThat(get(server, path, "https://evil.example").field("Access-Control-Allow-Origin")).isNull();
	}

	private static Answer preflight(TestServer server, String... fields) {
		return server.send("OPTIONS", "/ruled", "",
				TestServer.with(fields, "Origin", ORIGIN, "Access-Control-Request-Method", "GET"));
	}

	private static Answer get(TestServer server, String path, String origin) {
		return server.get(path, "Origin", origin);
	}

	@Import(Handlers.class)
	@RestController
	static class Controller {

		@CrossOrigin(ORIGIN)
		@GetMapping("/ruled/crossorigin")
		String ruled() {
			return "crossorigin";
		}

		@CrossOrigin(ORIGIN)
		@RateLimited(limit = 1, window = "1h")
		@GetMapping({ "/crossorigin", "/crossorigin/{id}" })
		String annotated() {
			return "crossorigin";
		}

		@CrossOrigin(origins = ORIGIN, exposedHeaders = "*")
		@GetMapping("/ruled/any")
		String ruledAny() {
			return "any";
		}

		@CrossOrigin(origins = ORIGIN, exposedHeaders = "*")
		@RateLimited(limit = 1, window = "1h")
		@GetMapping("/any")
		String any() {
			return "any";
		}

		@CrossOrigin(origins = ORIGIN, exposedHeaders = { "X-Total", "ratelimit" })
		@RateLimited(limit = 1, window = "1h")
		@GetMapping("/some")
		String some() {
			return "some";
		}

		@CrossOrigin(origins = ORIGIN, exposedHeaders = "*", allowCredentials = "true")
		@RateLimited(limit = 1, window = "1h")
		@GetMapping("/credentials")
		String credentials() {
			return "credentials";
		}

	}

}
