package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.Handlers;
import io.github.ratelimit.testserver.TestServer;
import jakarta.servlet.FilterChain;
import jakarta.servlet.Registration;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.servlet.DispatcherServlet;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What only servlets have: filters, attributes of a request, and handlers that answer
 * later by the servlet API.
 */
class ServletEnforcementTests {

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.start(Application.class, "shared: 10 per 10h");
	}

	@Test
	void theFilterIsRegisteredOnceAtEachOfItsPlaces() {
		assertThat(server.bean(ServletContext.class).getFilterRegistrations().values())
			.filteredOn((filter) -> filter.getClassName().equals(RateLimitFilter.class.getName()))
			.extracting(Registration::getName)
			.containsExactlyInAnyOrder("io.github.ratelimit.RateLimitFilter", "rateLimitInnermostFilter");
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
	void aRejectionBeforeTheHandlerIsNoFailureOfTheRequest() {
		AtomicInteger failures = server.bean(Failures.class).noted;
		server.send("POST", "/body", "{", "Content-Type", "application/json").is(400);
		assertThat(failures).hasValue(1);
		server.send("POST", "/body", "{}", "Content-Type", "application/json").is(429);
		assertThat(failures).hasValue(1);
	}

	@Test
	void aHandlerThatReturnsAValueIsEnforcedAroundTheMethodIfItsKeyReadsAnArgument() {
		server.get("/plain?name=a").is(200);
		server.get("/plain?name=b").is(200, "RateLimit: \"plain\";r=0;t=3600");
		server.get("/plain?name=a").is(429, "Retry-After: 3600");
		server.get("/plain").is(400, "RateLimit:");
	}

	@ParameterizedTest
	@ValueSource(strings = { "callable", "deferred" })
	void anAsynchronousHandlerIsCountedOnce(String kind) {
		server.forget();
		for (int i = 9; i > 6; i--) {
			Answer response = server.get("/later/" + kind);
			response.is(200, "RateLimit: \"shared\";r=" + i + ";t=" + 3600 * i, "X-RateLimit-Remaining: " + i);
			assertThat(response.body()).isEqualTo("later");
		}
	}

	@RestController
	@Import({ Handlers.class, Failures.class })
	static class Application {

		@RateLimited(name = "plain", limit = 1, window = "1h", key = "#name")
		@GetMapping("/plain")
		String plain(@RequestParam String name) {
			return name;
		}

		@RateLimited("shared")
		@GetMapping("/later/callable")
		Callable<String> callable() {
			return () -> "later";
		}

		@RateLimited("shared")
		@GetMapping("/later/deferred")
		DeferredResult<String> deferred() {
			DeferredResult<String> result = new DeferredResult<>();
			CompletableFuture.runAsync(() -> result.setResult("later"));
			return result;
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

}
