package io.github.ratelimit.integration.suite;

import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPlanResolver;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.Handlers;
import io.github.ratelimit.testserver.Stack;
import io.github.ratelimit.testserver.TestServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rules and annotated handlers, over HTTP.
 */
@Tag("stack")
class EnforcementTests {

	@AutoClose
	private static TestServer server;

	private Map<String, Long> allowedBefore;

	@BeforeAll
	static void start() {
		server = TestServer.start(
				List.of(Application.class, Stack.part("Functions"), Stack.part("Sessions"), Stack.part("Uploads")),
				"planned: 2 per 1m; key=header('X-Api-Key'); plan=header('X-Plan')", "planned.plans.pro: 60 per 1m",
				"planned.plans.enterprise.limits[0]: 600 per 1m", "planned.plans.enterprise.limits[1]: 9000 per 1d",
				"ratelimit.policies.planned.plans.staff.unlimited=true", "coded: 3 per 1m; key=header('X-Api-Key')",
				"coded.plans.pro: 30 per 1m", "ratelimit.plans.timeout=10s", "/page/planned -> planned",
				"/page/coded -> coded", "reads: 2 per 1m; algorithm=token-bucket", "whole: 100 per 1h; key='global'",
				"users: 1 per 1s; key=pathVariable('id')", "stale: 1 per 1d", "shared: 10 per 10h",
				"api: 100 per 1d; key='global'",
				"calendar: 2 per P1M; algorithm=fixed-window-counter; zone=Europe/Berlin", "/page/calendar -> calendar",
				"/functional/{id} -> users", "/ruled -> reads; methods=GET", "/ruled/** -> whole",
				"/users/{id} -> users", "visits: 2 per 1d", "files: 2 per 1h", "/downloads/** -> files",
				"/page/visits -> visits; key=session.id", "/page/seen -> visits; key=cookie('visitor')",
				"/page/by-place -> api; key=method + path", "/missing/** -> stale", "/page/cheap -> api",
				"/page/dear -> api; cost=10", "/page/conditional -> api; condition=header('X-Internal') == null",
				"/page/by-header -> api; key=header('X-Api-Key')",
				"/page/by-parameter -> api; key=parameter('customer')",
				"/page/twice -> api; key=header('X-Api-Key'); cost=2",
				"/page/** -> api; key=parameter('customer'); cost=5; condition=parameter('customer') == 'twice'");
	}

	@BeforeEach
	void forget() {
		server.forget();
		this.allowedBefore = Map.of("reads", count("reads"), "whole", count("whole"), "shared", count("shared"));
	}

	@Test
	void everyResponseOfARuleHasTheHeadersOfAllPoliciesInOneSet() {
		server.get("/ruled")
			.is(200, "RateLimit-Policy: \"reads\";q=2;w=60, \"whole\";q=100;w=3600",
					"RateLimit: \"reads\";r=1;t=30, \"whole\";r=99;t=3564", "X-RateLimit-Limit: 2",
					"X-RateLimit-Remaining: 1", "X-RateLimit-Reset: 30", "Retry-After:");
	}

	@Test
	void aRejectionIsAProblemWithHeadersAndTakesNothingFromTheOtherPolicies() {
		server.get("/ruled");
		server.get("/ruled");
		Answer response = server.get("/ruled")
			.is(429, "Content-Type: application/problem+json", "Retry-After: 30", "X-RateLimit-Retry-After: 30",
					"X-RateLimit-Remaining: 0");
		assertThat(response.body()).isEqualTo("""
				{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded",\
				"title":"Request cannot be satisfied as assigned quota has been exceeded",\
				"status":429,"violated-policies":["reads"]}""");
		assertThat(response.field("RateLimit")).startsWith("\"reads\";r=0;t=30");
		assertThat(server.limiter().peek("whole", "global").remaining()).isEqualTo(98);
	}

	@Test
	void theRequestPassesAtTheMomentThatRetryAfterNames() {
		server.get("/ruled");
		server.get("/ruled");
		server.clock().advance(Duration.ofSeconds(30).minusNanos(1));
		server.get("/ruled").is(429);
		server.clock().advanceNanos(1);
		server.get("/ruled").is(200);
	}

	@Test
	void aRuleForGetCoversHeadAndLeavesPostAlone() {
		server.send("POST", "/ruled", "").is(200);
		assertThat(allowed("reads")).isZero();
		assertThat(server.send("HEAD", "/ruled", "").field("X-RateLimit-Remaining")).isEqualTo("1");
		server.get("/ruled");
		assertThat(server.send("HEAD", "/ruled", "").is(429).body()).isEmpty();
	}

	@Test
	void responsesThatNoPolicyTouchedHaveNoHeaders() {
		server.get("/free").is(200).tellsOfNoLimit();
	}

	@Test
	void aKeyMayReadTheVariablesOfThePattern() {
		server.get("/users/1").is(200);
		server.get("/users/2").is(200);
		server.get("/users/1").is(429);
	}

	@Test
	void aFunctionalEndpointIsLimitedByARule() {
		assertThat(server.get("/functional/1").is(200, "RateLimit: \"users\";r=0;t=1").body()).isEqualTo("1");
		server.get("/functional/2").is(200);
		server.get("/functional/1").is(429, "Retry-After: 1");
	}

	@Test
	void aStaticResourceIsLimitedAndAnUntouchedOneHasNoHeaders() {
		Answer limited = server.get("/downloads/big.txt").is(200, "RateLimit: \"files\";r=1;t=1800");
		assertThat(limited.body()).isNotEmpty();
		server.get("/index.html").is(200).tellsOfNoLimit();
		server.get("/nothing").is(404).tellsOfNoLimit();
		Answer page = server.get("/downloads/missing", "Accept", "text/html")
			.is(404, "RateLimit: \"files\";r=0;t=3600");
		assertThat(page.body()).contains("<html>");
	}

	@Test
	void aWindowOfTheCalendarHasNoLengthInTheFields() {
		server.get("/page/calendar").is(200, "RateLimit-Policy: \"calendar\";q=2");
		server.get("/page/calendar").is(200);
		String seconds = server.get("/page/calendar").is(429, "X-RateLimit-Remaining: 0").field("Retry-After");
		server.clock().advance(Duration.ofSeconds(Long.parseLong(seconds)).minusSeconds(1));
		server.get("/page/calendar").is(429);
		server.clock().advance(Duration.ofSeconds(1));
		server.get("/page/calendar").is(200);
	}

	@Test
	void whoHasNoSessionIsTheClientsAddressAndGetsNone() {
		for (String cookie : List.of("JSESSIONID=forged-1", "SESSION=forged-2", "a=b")) {
			Answer answer = server.get("/page/visits", "Cookie", cookie).is(cookie.equals("a=b") ? 429 : 200);
			assertThat(answer.all("Set-Cookie")).allMatch(
					(set) -> Difference.A_FORGED_SESSION_EXPIRES.here() && set.startsWith("SESSION=; Max-Age=0;"));
		}
		assertThat(server.limiter().peek("visits", "address:127.0.0.1").remaining()).isZero();
	}

	@Test
	void eachSessionHasABudget() {
		for (int i = 0; i < 2; i++) {
			String session = server.get("/session").field("Set-Cookie").split(";")[0];
			server.get("/page/visits", "Cookie", session).is(200);
			server.get("/page/visits", "Cookie", session).is(200);
			server.get("/page/visits", "Cookie", session).is(429);
		}
	}

	@Test
	void eachValueOfACookieHasABudget() {
		assertThat(server.get("/page/seen", "Cookie", "a=b; visitor=ann; visitor=bob").remaining()).isEqualTo(1);
		assertThat(server.get("/page/seen", "Cookie", "visitor=ann").remaining()).isZero();
		server.get("/page/seen", "Cookie", "visitor=ann").is(429);
		assertThat(server.get("/page/seen", "Cookie", "visitor=bob").remaining()).isEqualTo(1);
		assertThat(server.get("/page/seen", "Cookie", "visitor").remaining()).isEqualTo(1);
		assertThat(server.limiter().peek("visits", "address:127.0.0.1").remaining()).isEqualTo(1);
	}

	@Test
	void theMethodAndThePatternAreKeys() {
		server.get("/page/by-place").is(200);
		server.send("POST", "/page/by-place", "").is(200);
		assertThat(server.limiter().peek("api", "GET/page/by-place").remaining()).isEqualTo(99);
		assertThat(server.limiter().peek("api", "POST/page/by-place").remaining()).isEqualTo(99);
	}

	@Test
	void anUploadIsParsedAsEverAndARejectedOneIsAnsweredBeforeItsBodyIsRead() throws IOException {
		String multipart = "multipart/form-data; boundary=b";
		String upload = "--b\r\nContent-Disposition: form-data; name=\"title\"\r\nContent-Type: text/plain\r\n\r\nt\r\n"
				+ "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f.txt\"\r\n\r\ncontent\r\n--b--\r\n";
		assertThat(server.send("POST", "/upload", upload, "Content-Type", multipart).body()).isEqualTo("t content");
		server.send("POST", "/users/1", "").is(200);
		for (String path : List.of("/upload", "/users/1")) {
			for (String length : List.of("Content-Length: 1073741824", "Transfer-Encoding: chunked")) {
				try (Socket socket = server.begin("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
						+ multipart + "\r\n" + length + "\r\n\r\n")) {
					assertThat(TestServer.head(socket)).startsWith("HTTP/1.1 429")
						.containsIgnoringCase("\r\nRetry-After: ");
				}
			}
		}
	}

	@Test
	void theHeadersSurviveTheErrorDispatchWhichIsNotCounted() {
		server.get("/missing/1").is(404, "RateLimit: \"stale\";r=0;t=86400");
		server.get("/missing/1").is(429);
		server.get("/ruled/fail").is(500, "RateLimit: \"whole\";r=99;t=3564");
		assertThat(allowed("whole")).isEqualTo(1);
		server.get("/later/fail").is(500, "RateLimit: \"shared\";r=9;t=32400");
		assertThat(allowed("shared")).isEqualTo(1);
	}

	@Test
	void aRuleHasACostOfItsOwn() {
		assertThat(server.get("/page/dear").remaining()).isEqualTo(90);
		assertThat(server.get("/page/cheap").remaining()).isEqualTo(89);
	}

	@Test
	void aRuleWhoseConditionDoesNotHoldIsNotThere() {
		assertThat(server.get("/page/conditional").remaining()).isEqualTo(99);
		server.get("/page/conditional", "X-Internal", "yes").is(200).tellsOfNoLimit();
		assertThat(server.get("/page/conditional").remaining()).isEqualTo(98);
	}

	@Test
	void theKeyOfARuleOverridesThatOfItsPolicyAndSharesItsBudgets() {
		assertThat(server.get("/page/by-header", "X-Api-Key", "acme").remaining()).isEqualTo(99);
		assertThat(server.get("/page/by-header", "X-Api-Key", "other").remaining()).isEqualTo(99);
		assertThat(server.get("/page/by-parameter?customer=acme").remaining()).isEqualTo(98);
		assertThat(server.get("/page/cheap").remaining()).isEqualTo(99);
		assertThat(server.get("/page/cheap").remaining()).isEqualTo(98);
	}

	@Test
	void twoRulesOfOnePolicyAndKeyAreOnePaymentAndTheHigherCost() {
		assertThat(server.get("/page/twice?customer=twice", "X-Api-Key", "twice").remaining()).isEqualTo(95);
	}

	@Test
	void aMalformedBodyCounts() {
		String[] json = { "Content-Type", "application/json" };
		server.send("POST", "/body", "{\"name\":", json).is(400, "X-RateLimit-Remaining: 0");
		server.send("POST", "/body", "{\"name\":\"a\"}", json).is(429);
	}

	@Test
	void aHandlerWhoseKeyReadsItsArgumentsIsEnforcedAroundTheMethod() {
		server.get("/argument?name=a").is(200);
		server.get("/argument?name=b").is(200, "RateLimit: \"Handlers.argument\";r=0;t=3600");
		Answer rejected = server.get("/argument?name=a")
			.is(429, "Retry-After: 3600", "Content-Type: application/problem+json");
		assertThat(rejected.body()).contains("\"violated-policies\":[\"Handlers.argument\"]");
		assertThat(server.get("/argument").field("RateLimit")).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "future", "mono" })
	void anAsynchronousHandlerIsCountedOnce(String kind) {
		for (int i = 9; i > 6; i--) {
			Answer response = server.get("/later/" + kind);
			response.is(200, "RateLimit: \"shared\";r=" + i + ";t=" + 3600 * i, "X-RateLimit-Remaining: " + i);
			assertThat(response.body()).isEqualTo("later");
		}
		assertThat(allowed("shared")).isEqualTo(3);
	}

	@Test
	void headerFieldsNameTheNumbersOfThePlanAndAnUnlimitedCallerIsToldAndCountedNothing() {
		for (int i = 1; i <= 2; i++) {
			planned("acme", "pro").is(200, "RateLimit-Policy: \"planned\";q=60;w=60",
					"X-RateLimit-Remaining: " + (60 - i));
			planned("globex", "enterprise").is(200,
					"RateLimit-Policy: \"planned-1m\";q=600;w=60, \"planned-1d\";q=9000;w=86400");
			planned("new", "").is(200, "RateLimit-Policy: \"planned\";q=2;w=60");
			planned("typo", "por").is(200);
		}
		Answer rejected = planned("typo", "por").is(429, "RateLimit-Policy: \"planned\";q=2;w=60");
		assertThat(rejected.body()).contains("\"violated-policies\":[\"planned\"]");
		assertThat(server.limiter().policy("planned").unknownPlans()).isOne();
		long before = count("planned");
		for (int i = 0; i < 10; i++) {
			planned("boss", "staff").is(200).tellsOfNoLimit();
		}
		assertThat(count("planned")).isEqualTo(before);
	}

	private static Answer planned(String apiKey, String plan) {
		return server.get("/page/planned", "X-Api-Key", apiKey, "X-Plan", plan);
	}

	@Test
	void aResolverOfPlansIsAskedWhereThereIsNoExpression() {
		server.get("/page/coded", "X-Api-Key", "acme").is(200, "X-RateLimit-Limit: 30");
		server.get("/page/coded", "X-Api-Key", "tiny").is(200, "X-RateLimit-Limit: 3");
		assertThat(server.limiter().policy("coded").plan("acme")).isEqualTo("pro");
	}

	@Test
	void familiesNamesAndResetsAreToldAsConfigured() {
		try (TestServer server = TestServer.start(Handlers.class, "two: 2 per 1h", "/ruled -> two",
				"ratelimit.headers=x-rate-limit", "ratelimit.headers.policy-names=short",
				"ratelimit.headers.reset=epoch")) {
			long end = server.clock().nanos() / 1_000_000_000L + 1800;
			server.get("/ruled").is(200, "RateLimit:", "RateLimit-Policy:", "X-RateLimit-Reset: " + end);
			server.get("/ruled");
			Answer rejected = server.get("/ruled").is(429, "Retry-After: 1800", "X-RateLimit-Retry-After: 1800");
			assertThat(rejected.body()).contains("\"violated-policies\":[\"p1\"]");
		}
	}

	@Test
	void anApplicationWithoutRulesWhoseAnnotationsHaveAChargeIsCharged() {
		try (TestServer server = TestServer.start(ChargedByAnnotation.class)) {
			server.get("/failing").is(500, "X-RateLimit-Remaining: 9");
			TestServer.await(() -> server.limiter().policy("charged").peek("all").remaining() == 7);
		}
	}

	private long allowed(String policy) {
		return count(policy) - this.allowedBefore.get(policy);
	}

	private static long count(String policy) {
		return server.limiter().policy(policy).count(RateLimitOutcome.ALLOWED);
	}

	@RestController
	@Import(Handlers.class)
	static class Application {

		@Bean
		static RateLimitPlanResolver plans() {
			return (policy, key) -> key.equals("acme") ? "pro" : null;
		}

		@RateLimited("shared")
		@GetMapping("/later/mono")
		Mono<String> mono() {
			return Mono.just("later").delayElement(Duration.ofMillis(1));
		}

		@RateLimited("shared")
		@GetMapping("/later/future")
		CompletableFuture<String> future() {
			return CompletableFuture.supplyAsync(() -> "later");
		}

		@RateLimited("shared")
		@GetMapping("/later/fail")
		Mono<String> fail() {
			throw new IllegalStateException("expected by the test");
		}

	}

	@RestController
	static class ChargedByAnnotation {

		@GetMapping("/failing")
		@RateLimited(name = "charged", limit = 10, window = "1h", key = "'all'", charge = "status == 500 ? 3 : 0")
		String failing() {
			throw new UnsupportedOperationException("as asked");
		}

	}

}
