package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.annotation.RateLimited;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Handlers that copy the fields of another server, which has limits of its own, beside
 * ours.
 */
class UpstreamFieldsTests {

	private static final String OURS = "\"Gateway.annotated\";r=8;t=28800";

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.start(Application.class, "ratelimit.policies.rule.limits[0].limit=9",
				"ratelimit.policies.rule.limits[0].window=9h", "ratelimit.rules[0].path=/ruled/**",
				"ratelimit.rules[0].policy=rule");
	}

	@BeforeEach
	void forget() {
		server.forget();
	}

	@ParameterizedTest
	@ValueSource(strings = { "entity", "set", "add", "late" })
	void fieldsOfAnotherServerAreNotDoubled(String how) {
		HttpResponse<String> response = server.get("/annotated/" + how);
		assertThat(response.statusCode()).isEqualTo(200);
		assertSent(response, OURS, "\"Gateway.annotated\";q=9;w=32400");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/ruled/entity", "/ruled/set", "/ruled/add", "/ruled/late", "/ruled/function",
			"/ruled/servlet" })
	void norWhereARuleApplies(String path) {
		assertSent(server.get(path), "\"rule\";r=8;t=28800", "\"rule\";q=9;w=32400");
	}

	@Test
	void norWhereAnyPolicyDelays() {
		try (TestServer delaying = TestServer.start(Application.class,
				"ratelimit.policies.slow.limits[0].algorithm=leaky-bucket", "ratelimit.policies.slow.limits[0].limit=1",
				"ratelimit.policies.slow.limits[0].window=1s", "ratelimit.policies.slow.limits[0].burst=5")) {
			assertSent(delaying.get("/annotated/entity"), OURS, "\"Gateway.annotated\";q=9;w=32400");
		}
	}

	private static void assertSent(HttpResponse<String> response, String rateLimit, String policy) {
		assertThat(response.headers().allValues("RateLimit")).containsExactly(rateLimit + ", \"edge\";r=3;t=5");
		assertThat(response.headers().allValues("RateLimit-Policy")).containsExactly(policy + ", \"edge\";q=7;w=10");
		assertThat(response.headers().allValues("X-RateLimit-Limit")).containsExactly("9");
		assertThat(response.headers().allValues("X-RateLimit-Remaining")).containsExactly("8");
		assertThat(response.headers().allValues("X-RateLimit-Reset")).containsExactly("3600");
		assertThat(response.headers().allValues("Retry-After")).containsExactly("77");
	}

	@Test
	void whereNothingIsLimitedTheFieldsAreTheOtherServers() {
		HttpResponse<String> response = server.get("/free/entity");
		assertThat(response.headers().allValues("RateLimit")).containsExactly("\"edge\";r=3;t=5");
		assertThat(response.headers().allValues("X-RateLimit-Limit")).containsExactly("5000");
		assertThat(response.headers().allValues("X-RateLimit-Reset")).containsExactly("1700000000");
	}

	@Test
	void aMalformedOrEndlessValueDoesNotSpoilOurs() {
		HttpResponse<String> response = server.get("/annotated/hostile");
		assertThat(response.headers().allValues("RateLimit")).containsExactly(OURS);
		assertThat(response.headers().allValues("RateLimit-Policy")).singleElement()
			.asString()
			.startsWith("\"Gateway.annotated\";q=9;w=32400, \"p0\";q=1, \"p1\";q=1")
			.hasSizeLessThan(2_600);
	}

	@ParameterizedTest
	@CsvSource({ "set, 5", "add, 5", "entity, 5" })
	void whoAnswersARejectionHasTheLastWordOnWhenToComeBack(String how, String seconds) {
		server.get("/once/" + how);
		HttpResponse<String> rejected = server.get("/once/" + how);
		assertThat(rejected.statusCode()).isEqualTo(429);
		assertThat(rejected.headers().allValues("Retry-After")).containsExactly(seconds);
		assertThat(rejected.headers().allValues("RateLimit")).singleElement().asString().contains("\"Once.once\";r=0");
	}

	private static HttpHeaders upstream() {
		HttpHeaders fields = new HttpHeaders();
		fields.add("ratelimit", "\"edge\";r=3;t=5");
		fields.add("RateLimit-Policy", "\"edge\";q=7;w=10");
		fields.add("X-RateLimit-Limit", "5000");
		fields.add("x-ratelimit-remaining", "4999");
		fields.add("X-RateLimit-Reset", "1700000000");
		fields.add("Retry-After", "77");
		return fields;
	}

	private static @Nullable ResponseEntity<String> answer(String how, HttpServletResponse response)
			throws IOException {
		HttpHeaders fields = upstream();
		switch (how) {
			case "set" -> fields.forEach((name, values) -> response.setHeader(name, values.get(0)));
			case "add" -> fields.forEach((name, values) -> response.addHeader(name, values.get(0)));
			case "late" -> {
				response.getWriter().write(how);
				fields.forEach((name, values) -> response.addHeader(name, values.get(0)));
				return null;
			}
			case "hostile" -> {
				response.addHeader("RateLimit", "\"edge\";r=3, limit=100");
				for (int i = 0; i < 1_000; i++) {
					response.addHeader("RateLimit-Policy", "\"p" + i + "\";q=1");
				}
			}
			default -> {
				return ResponseEntity.ok().headers(fields).body("entity");
			}
		}
		return ResponseEntity.ok(how);
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Gateway.class, Once.class })
	static class Application {

		@Bean
		RouterFunction<ServerResponse> function() {
			return RouterFunctions.route()
				.GET("/ruled/function",
						(request) -> ServerResponse.ok()
							.headers((fields) -> fields.addAll(upstream()))
							.body("function"))
				.build();
		}

		@Bean
		ServletRegistrationBean<HttpServlet> servlet() {
			return new ServletRegistrationBean<>(new HttpServlet() {

				@Override
				protected void doGet(HttpServletRequest request, HttpServletResponse response) {
					upstream().forEach((name, values) -> response.addHeader(name, values.get(0)));
				}

			}, "/ruled/servlet");
		}

	}

	@RestController
	static class Gateway {

		@RateLimited(limit = 9, window = "9h")
		@GetMapping("/annotated/{how}")
		@Nullable ResponseEntity<String> annotated(@PathVariable String how, HttpServletResponse response) throws IOException {
			return answer(how, response);
		}

		@GetMapping({ "/ruled/{how}", "/free/{how}" })
		@Nullable ResponseEntity<String> ruled(@PathVariable String how, HttpServletResponse response) throws IOException {
			return answer(how, response);
		}

	}

	@RestController
	static class Once {

		@RateLimited(limit = 1, window = "1h")
		@GetMapping("/once/{how}")
		String once(@PathVariable String how) {
			return how;
		}

		@ExceptionHandler
		ResponseEntity<String> rejected(RateLimitExceededException ex, HttpServletRequest request,
				HttpServletResponse response) {
			String how = request.getRequestURI().substring("/once/".length());
			ResponseEntity.BodyBuilder answer = ResponseEntity.status(429);
			switch (how) {
				case "set" -> response.setIntHeader("Retry-After", 5);
				case "add" -> List.of("9", "5").forEach((value) -> response.addHeader("Retry-After", value));
				default -> answer.header("Retry-After", "5");
			}
			return answer.body(how);
		}

	}

}
