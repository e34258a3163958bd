package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.annotation.RateLimited;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.servlet.DispatcherServlet;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Annotated handlers, over HTTP: enforced before their body is read, and once for each
 * request.
 */
class HandlerEnforcementTests {

	@AutoClose
	private static TestServer server;

	private long allowedBefore;

	@BeforeAll
	static void start() {
		server = TestServer.start(Rest.class, "rule: 100 per 1h", "/ruled -> rule", "shared: 10 per 10h");
	}

	@BeforeEach
	void forget() {
		server.forget();
		this.allowedBefore = server.limiter().policy("shared").count(RateLimitOutcome.ALLOWED);
	}

	@Test
	void aMalformedBodyCounts() {
		for (int i = 0; i < 2; i++) {
			post("/json", "{\"name\":").is(400, "X-RateLimit-Remaining: " + (1 - i));
		}
		assertThat(post("/json", "{\"name\":\"a\"}").status()).isEqualTo(429);
		assertThat(server.bean(Rest.class).calls()).isZero();
	}

	/*
	 * What reports failures of requests would report each rejection of an attack.
	 */
	@Test
	void aRejectionBeforeAHandlerIsNoFailureOfTheRequest() {
		Failures failures = server.bean(Failures.class);
		failures.noted.set(0);
		for (int i = 0; i < 3; i++) {
			post("/json", "{\"name\":\"a\"}");
		}
		assertThat(post("/json", "{\"name\":\"a\"}").status()).isEqualTo(429);
		assertThat(failures.noted).hasValue(0);
	}

	@Test
	void aHandlerWhoseKeyReadsItsArgumentsIsEnforcedAroundTheMethod() {
		server.get("/by-argument?user=a").is(200);
		assertThat(server.get("/by-argument?user=b").field("RateLimit")).isEqualTo("\"Rest.byArgument\";r=0;t=3600");
		Answer rejected = server.get("/by-argument?user=a");
		rejected.is(429);
		assertThat(rejected.body()).contains("\"violated-policies\":[\"Rest.byArgument\"]");
		assertThat(rejected.field("Retry-After")).isEqualTo("3600");
		assertThat(rejected.all("Content-Type")).containsExactly("application/problem+json");
		assertThat(server.get("/by-argument").field("RateLimit")).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/callable", "/future", "/deferred" })
	void anAsynchronousHandlerIsCountedOnce(String path) {
		for (int i = 9; i > 6; i--) {
			Answer response = server.get(path);
			assertThat(response.body()).isEqualTo("later");
			assertThat(response.all("RateLimit")).containsExactly("\"shared\";r=" + i + ";t=" + 3600 * i);
			assertThat(response.all("X-RateLimit-Remaining")).containsExactly("" + i);
		}
		assertThat(allowedOfShared()).isEqualTo(3);
	}

	@Test
	void theErrorDispatchIsNotCountedAndKeepsTheHeaders() {
		server.get("/fail").is(500, "RateLimit: \"shared\";r=9;t=32400");
		assertThat(allowedOfShared()).isEqualTo(1);
	}

	@Test
	void theHeadersOfRuleHandlerAndBeanMethodAreOneSet() {
		Answer response = server.get("/ruled");
		assertThat(response.all("RateLimit-Policy"))
			.containsExactly("\"rule\";q=100;w=3600, \"Rest.ruled\";q=5;w=3600, \"Helper.help\";q=1;w=60");
		assertThat(response.all("X-RateLimit-Limit")).containsExactly("1");
	}

	@Test
	void aRejectedBeanMethodIsTheSameProblem() {
		server.get("/ruled");
		Answer response = server.get("/ruled");
		response.is(429, "Content-Type: application/problem+json");
		assertThat(response.body()).isEqualTo("""
				{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded",\
				"title":"Request cannot be satisfied as assigned quota has been exceeded",\
				"status":429,"violated-policies":["Helper.help"]}""");
		assertThat(response.field("Retry-After")).isEqualTo("60");
		assertThat(response.field("X-RateLimit-Remaining")).isEqualTo("0");
	}

	@ParameterizedTest
	@ValueSource(ints = { 5, 5000 })
	void aRejectionReplacesTheLengthThatTheHandlerHasAnnounced(int length) {
		assertThat(server.get("/announced?length=2").body()).isEqualTo("ok");
		Answer rejected = server.get("/announced?length=" + length);
		rejected.is(429);
		assertThat(rejected.body()).endsWith("\"violated-policies\":[\"Helper.help\"]}");
	}

	@Test
	void aBeanMethodThatIsRejectedAsynchronouslyIsTheSameProblem() {
		server.get("/ruled");
		Answer response = server.get("/future-rejected");
		response.is(429);
		assertThat(response.body()).contains("\"violated-policies\":[\"Helper.help\"]");
	}

	@Test
	void aHandlerRejectionRefundsWhatTheRuleGave() {
		for (int i = 0; i < 5; i++) {
			server.get("/ruled");
			server.clock().advance(Duration.ofMinutes(1));
		}
		long before = server.limiter().policy("rule").count(RateLimitOutcome.RETURNED);
		Answer response = server.get("/ruled");
		response.is(429);
		assertThat(response.body()).contains("Rest.ruled");
		assertThat(server.limiter().policy("rule").count(RateLimitOutcome.RETURNED)).isEqualTo(before + 1);
	}

	@Test
	void aRejectionAfterTheResponseIsCommittedDoesNoHarm() {
		server.get("/ruled");
		assertThat(server.raw("GET /committed")).startsWith("http/1.1 200");
		assertThat(server.get("/free").body()).isEqualTo("free");
	}

	private long allowedOfShared() {
		return server.limiter().policy("shared").count(RateLimitOutcome.ALLOWED) - this.allowedBefore;
	}

	private Answer post(String path, String body) {
		return server.send("POST", path, body, "Content-Type", "application/json");
	}

	@RestController
	@Import({ Helper.class, Failures.class })
	static class Rest {

		private final AtomicInteger calls = new AtomicInteger();

		private final Helper helper;

		Rest(Helper helper) {
			this.helper = helper;
		}

		int calls() {
			return this.calls.get();
		}

		@RateLimited(limit = 2, window = "1h")
		@PostMapping("/json")
		public String json(@RequestBody Body body) {
			this.calls.incrementAndGet();
			return body.name();
		}

		@RateLimited(limit = 1, window = "1h", key = "#user")
		@GetMapping("/by-argument")
		public String byArgument(@RequestParam String user) {
			return user;
		}

		@RateLimited("shared")
		@GetMapping("/callable")
		public Callable<String> callable() {
			return () -> "later";
		}

		@RateLimited("shared")
		@GetMapping("/future")
		public CompletableFuture<String> future() {
			return CompletableFuture.supplyAsync(() -> "later");
		}

		@RateLimited("shared")
		@GetMapping("/deferred")
		public DeferredResult<String> deferred() {
			DeferredResult<String> result = new DeferredResult<>();
			CompletableFuture.runAsync(() -> result.setResult("later"));
			return result;
		}

		@RateLimited("shared")
		@GetMapping("/fail")
		public String fail() {
			throw new IllegalStateException("expected by the test");
		}

		@RateLimited(limit = 5, window = "1h")
		@GetMapping("/ruled")
		public String ruled() {
			return this.helper.help();
		}

		@GetMapping("/future-rejected")
		public CompletableFuture<String> futureRejected() {
			return CompletableFuture.supplyAsync(() -> "x").thenApply((x) -> this.helper.help());
		}

		@GetMapping("/committed")
		public void committed(HttpServletResponse response) throws Exception {
			response.getWriter().write("begun");
			response.flushBuffer();
			this.helper.help();
		}

		@GetMapping("/announced")
		public void announced(int length, HttpServletResponse response) throws Exception {
			response.setContentLength(length);
			this.helper.help();
			response.getOutputStream().print("ok");
		}

		@GetMapping("/free")
		public String free() {
			return "free";
		}

	}

	@Component
	static class Helper {

		@RateLimited(limit = 1, window = "1m", key = "'global'")
		public String help() {
			return "helped";
		}

	}

	record Body(String name) {
	}

	@Component
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

}
