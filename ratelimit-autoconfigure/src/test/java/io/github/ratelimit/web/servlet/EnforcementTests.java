package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPlanResolver;
import io.github.ratelimit.annotation.RateLimited;
import jakarta.servlet.FilterChain;
import jakarta.servlet.Registration;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.servlet.DispatcherServlet;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rules and annotated handlers, over HTTP.
 */
class EnforcementTests {

	@AutoClose
	private static TestServer server;

	private Map<String, Long> allowedBefore;

	@BeforeAll
	static void start() {
		server = TestServer.start(Application.class,
				"planned: 2 per 1m; key=header('X-Api-Key'); plan=header('X-Plan')", "planned.plans.pro: 60 per 1m",
				"planned.plans.enterprise.limits[0]: 600 per 1m", "planned.plans.enterprise.limits[1]: 9000 per 1d",
				"ratelimit.policies.planned.plans.staff.unlimited=true", "coded: 3 per 1m; key=header('X-Api-Key')",
				"coded.plans.pro: 30 per 1m", "ratelimit.plans.timeout=10s", "/page/planned -> planned",
				"/page/coded -> coded", "reads: 2 per 1m; algorithm=token-bucket", "whole: 100 per 1h; key='global'",
				"users: 1 per 1s; key=pathVariable('id')", "stale: 1 per 1d", "shared: 10 per 10h",
				"api: 100 per 1d; key='global'", "/ruled -> reads; methods=GET", "/ruled/** -> whole",
				"/users/{id} -> users", "/missing/** -> stale", "/page/cheap -> api", "/page/dear -> api; cost=10",
				"/page/conditional -> api; condition=header('X-Internal') == null",
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
	void theHeadersSurviveTheErrorDispatchWhichIsNotCounted() {
		server.get("/missing/1").is(404, "RateLimit: \"stale\";r=0;t=86400");
		server.get("/missing/1").is(429);
		server.get("/ruled/fail").is(500, "RateLimit: \"whole\";r=99;t=3564");
		assertThat(allowed("whole")).isEqualTo(1);
		server.get("/later/fail").is(500, "RateLimit: \"shared\";r=9;t=32400");
		assertThat(allowed("shared")).isEqualTo(1);
	}

	@Test
	void theFilterIsRegisteredOnceAtEachOfItsPlaces() {
		assertThat(server.bean(ServletContext.class).getFilterRegistrations().values())
			.filteredOn((filter) -> filter.getClassName().equals(RateLimitFilter.class.getName()))
			.extracting(Registration::getName)
			.containsExactlyInAnyOrder("io.github.ratelimit.RateLimitFilter", "rateLimitInnermostFilter");
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
	void aMalformedBodyCountsAndARejectionBeforeTheHandlerIsNoFailureOfTheRequest() {
		AtomicInteger failures = server.bean(Failures.class).noted;
		failures.set(0);
		server.send("POST", "/body", "{\"name\":", "Content-Type", "application/json")
			.is(400, "X-RateLimit-Remaining: 0");
		assertThat(failures).hasValue(1);
		server.send("POST", "/body", "{\"name\":\"a\"}", "Content-Type", "application/json").is(429);
		assertThat(failures).hasValue(1);
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
	@ValueSource(strings = { "callable", "future", "deferred" })
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

	/*
	 * The second time as rules: [] of a YAML file is read.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "ratelimit.enabled=true", "ratelimit.rules=" })
	void applicationsWithoutPoliciesLeaveNoTraceOnARequest(String property) {
		try (TestServer unlimited = TestServer.start(Unlimited.class, property)) {
			assertThat(unlimited.get("/attributes").body()).isEqualTo("[]");
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
	@Import({ Handlers.class, Failures.class })
	static class Application {

		@Bean
		static RateLimitPlanResolver plans() {
			return (policy, key) -> key.equals("acme") ? "pro" : null;
		}

		@RateLimited("shared")
		@GetMapping("/later/{kind}")
		Object later(@PathVariable String kind) {
			return switch (kind) {
				case "callable" -> (Callable<String>) () -> "later";
				case "future" -> CompletableFuture.supplyAsync(() -> "later");
				case "deferred" -> {
					DeferredResult<String> result = new DeferredResult<>();
					CompletableFuture.runAsync(() -> result.setResult("later"));
					yield result;
				}
				default -> throw new IllegalStateException("expected by the test");
			};
		}

	}

	/*
	 * What reports failures of requests would report each rejection of an attack.
	 */
	static class Failures extends OncePerRequestFilter {

		private final AtomicInteger noted = new AtomicInteger();

		@Override
		protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws ServletException, IOException {
			chain.doFilter(request, response);
			if (request.getAttribute(DispatcherServlet.EXCEPTION_ATTRIBUTE) != null) {
				this.noted.incrementAndGet();
			}
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

	@RestController
	static class ChargedByAnnotation {

		@GetMapping("/failing")
		@RateLimited(name = "charged", limit = 10, window = "1h", key = "'all'", charge = "status == 500 ? 3 : 0")
		String failing() {
			throw new UnsupportedOperationException("as asked");
		}

	}

}
