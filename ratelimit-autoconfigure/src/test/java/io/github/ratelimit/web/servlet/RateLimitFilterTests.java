package io.github.ratelimit.web.servlet;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.RateLimit;
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
		HttpResponse<String> response = server.get("/things");
		assertThat(response.statusCode()).isEqualTo(200);
		assertThat(response.headers().allValues("RateLimit-Policy"))
			.containsExactly("\"reads\";q=2;w=60, \"whole\";q=100;w=3600");
		assertThat(response.headers().allValues("RateLimit"))
			.containsExactly("\"reads\";r=1;t=30, \"whole\";r=99;t=3564");
		assertThat(response.headers().allValues("X-RateLimit-Limit")).containsExactly("2");
		assertThat(response.headers().allValues("X-RateLimit-Remaining")).containsExactly("1");
		assertThat(response.headers().allValues("X-RateLimit-Reset")).containsExactly("30");
		assertThat(response.headers().firstValue("Retry-After")).isEmpty();
	}

	@Test
	void aRejectionIsAProblemWithHeaders() {
		server.get("/things");
		server.get("/things");
		HttpResponse<String> response = server.get("/things");
		assertThat(response.statusCode()).isEqualTo(429);
		assertThat(response.headers().allValues("Content-Type")).containsExactly("application/problem+json");
		assertThat(response.body()).isEqualTo("""
				{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded",\
				"title":"Request cannot be satisfied as assigned quota has been exceeded",\
				"status":429,"violated-policies":["reads"]}""");
		assertThat(response.headers().allValues("Retry-After")).containsExactly("30");
		assertThat(response.headers().allValues("X-RateLimit-Retry-After")).containsExactly("30");
		assertThat(response.headers().allValues("X-RateLimit-Remaining")).containsExactly("0");
		assertThat(response.headers().allValues("RateLimit").get(0)).startsWith("\"reads\";r=0;t=30");
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
		assertThat(server.get("/things").statusCode()).isEqualTo(429);
		server.clock().advanceNanos(1);
		assertThat(server.get("/things").statusCode()).isEqualTo(200);
	}

	@Test
	void aRuleForGetCoversHead() {
		assertThat(server.send("HEAD", "/things", "").headers().firstValue("X-RateLimit-Remaining")).hasValue("1");
		server.get("/things");
		HttpResponse<String> response = server.send("HEAD", "/things", "");
		assertThat(response.statusCode()).isEqualTo(429);
		assertThat(response.body()).isEmpty();
	}

	@Test
	void aRuleForGetLeavesPostAlone() {
		server.send("POST", "/things", "");
		assertThat(allowed("reads")).isZero();
	}

	@Test
	void responsesThatNoPolicyTouchedHaveNoHeaders() {
		HttpResponse<String> response = server.get("/free");
		assertThat(response.headers().map().keySet()).noneMatch((name) -> name.toLowerCase().contains("ratelimit"));
	}

	@Test
	void aKeyMayReadTheVariablesOfThePattern() {
		assertThat(server.get("/users/1").statusCode()).isEqualTo(200);
		assertThat(server.get("/users/2").statusCode()).isEqualTo(200);
		assertThat(server.get("/users/1").statusCode()).isEqualTo(429);
	}

	@Test
	void theHeadersSurviveTheErrorDispatch() {
		HttpResponse<String> missing = server.get("/missing/1");
		assertThat(missing.statusCode()).isEqualTo(404);
		assertThat(missing.headers().allValues("RateLimit")).containsExactly("\"stale\";r=0;t=86400");
		assertThat(server.get("/missing/1").statusCode()).isEqualTo(429);
		HttpResponse<String> failed = server.get("/things/fail");
		assertThat(failed.statusCode()).isEqualTo(500);
		assertThat(failed.headers().allValues("RateLimit")).containsExactly("\"whole\";r=99;t=3564");
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
