package io.github.ratelimit.web.servlet;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.RateLimitOutcome;
import jakarta.servlet.Registration;
import jakarta.servlet.ServletContext;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RateLimitFilter}, over HTTP.
 */
class RateLimitFilterTests {

	@AutoClose
	private static TestServer server;

	private Map<String, Long> allowedBefore;

	@BeforeAll
	static void start() {
		server = TestServer.start(Controller.class, "reads: 2 per 1m; algorithm=token-bucket",
				"whole: 100 per 1h; key='global'", "users: 1 per 1s; key=pathVariable('id')", "stale: 1 per 1d",
				"/things -> reads; methods=GET", "/things/** -> whole", "/users/{id} -> users", "/missing/** -> stale");
	}

	@BeforeEach
	void forget() {
		server.forget();
		this.allowedBefore = Map.of("reads", count("reads"), "whole", count("whole"));
	}

	@Test
	void everyResponseOfARuleHasTheHeadersOfAllPoliciesInOneSet() {
		server.get("/things")
			.is(200, "RateLimit-Policy: \"reads\";q=2;w=60, \"whole\";q=100;w=3600",
					"RateLimit: \"reads\";r=1;t=30, \"whole\";r=99;t=3564", "X-RateLimit-Limit: 2",
					"X-RateLimit-Remaining: 1", "X-RateLimit-Reset: 30", "Retry-After:");
	}

	@Test
	void aRejectionIsAProblemWithHeaders() {
		server.get("/things");
		server.get("/things");
		Answer response = server.get("/things");
		response.is(429, "Content-Type: application/problem+json");
		assertThat(response.body()).isEqualTo("""
				{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded",\
				"title":"Request cannot be satisfied as assigned quota has been exceeded",\
				"status":429,"violated-policies":["reads"]}""");
		assertThat(response.all("Retry-After")).containsExactly("30");
		assertThat(response.all("X-RateLimit-Retry-After")).containsExactly("30");
		assertThat(response.all("X-RateLimit-Remaining")).containsExactly("0");
		assertThat(response.all("RateLimit").get(0)).startsWith("\"reads\";r=0;t=30");
	}

	@Test
	void rejectionTakesNothingFromTheOtherPolicies() {
		for (int i = 0; i < 10; i++) {
			server.get("/things");
		}
		assertThat(server.limiter().peek("whole", "global").remaining()).isEqualTo(98);
	}

	@Test
	void theRequestPassesAtTheMomentThatRetryAfterNames() {
		server.get("/things");
		server.get("/things");
		server.clock().advance(Duration.ofSeconds(30).minusNanos(1));
		server.get("/things").is(429);
		server.clock().advanceNanos(1);
		server.get("/things").is(200);
	}

	@Test
	void aRuleForGetCoversHead() {
		assertThat(server.send("HEAD", "/things", "").field("X-RateLimit-Remaining")).isEqualTo("1");
		server.get("/things");
		Answer response = server.send("HEAD", "/things", "");
		response.is(429);
		assertThat(response.body()).isEmpty();
	}

	@Test
	void aRuleForGetLeavesPostAlone() {
		server.send("POST", "/things", "");
		assertThat(allowed("reads")).isZero();
	}

	@Test
	void responsesThatNoPolicyTouchedHaveNoHeaders() {
		Answer response = server.get("/free");
		assertThat(response.headers().map().keySet()).noneMatch((name) -> name.toLowerCase().contains("ratelimit"));
	}

	@Test
	void aKeyMayReadTheVariablesOfThePattern() {
		server.get("/users/1").is(200);
		server.get("/users/2").is(200);
		server.get("/users/1").is(429);
	}

	@Test
	void theHeadersSurviveTheErrorDispatch() {
		Answer missing = server.get("/missing/1");
		missing.is(404, "RateLimit: \"stale\";r=0;t=86400");
		server.get("/missing/1").is(429);
		server.get("/things/fail").is(500, "RateLimit: \"whole\";r=99;t=3564");
		assertThat(allowed("whole")).isEqualTo(1);
	}

	@Test
	void theFilterIsRegisteredOnce() {
		List<String> filters = server.bean(ServletContext.class)
			.getFilterRegistrations()
			.values()
			.stream()
			.filter((filter) -> filter.getClassName().equals(RateLimitFilter.class.getName()))
			.map(Registration::getName)
			.toList();
		assertThat(filters).containsExactly("io.github.ratelimit.RateLimitFilter");
	}

	private long allowed(String policy) {
		return count(policy) - this.allowedBefore.get(policy);
	}

	private static long count(String policy) {
		return server.limiter().policy(policy).count(RateLimitOutcome.ALLOWED);
	}

	@RestController
	static class Controller {

		@GetMapping("/things")
		String things() {
			return "things";
		}

		@PostMapping("/things")
		String add() {
			return "added";
		}

		@GetMapping("/things/fail")
		String fail() {
			throw new IllegalStateException("expected by the test");
		}

		@GetMapping("/users/{id}")
		String user(@PathVariable String id) {
			return id;
		}

		@GetMapping("/free")
		String free() {
			return "free";
		}

	}

}
