package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Locale;

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
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A redirection does not tell what remains, so that nobody waits before following it.
 */
class RedirectionTests {

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.start(Application.class, "ratelimit.policies.rule.limits[0].limit=100",
				"ratelimit.policies.rule.limits[0].window=1h", "ratelimit.rules[0].path=/ruled/**",
				"ratelimit.rules[0].policy=rule");
	}

	@BeforeEach
	void forget() {
		server.forget();
	}

	@ParameterizedTest
	@ValueSource(strings = { "view", "send", "moved", "status", "late", "entity", "error", "others" })
	void aRedirectionHasNoFields(String how) {
		for (String path : List.of("/annotated/", "/ruled/", "/both/")) {
			HttpResponse<String> response = server.get(path + how);
			assertThat(response.statusCode()).as(path).isBetween(301, 308);
			assertThat(fields(response)).as(path)
				.isEqualTo(how.equals("others") ? List.of("ratelimit=\"edge\";r=3") : List.of());
		}
	}

	@Test
	void norDoesThatOfAnotherServlet() {
		HttpResponse<String> response = server.get("/ruled/servlet");
		assertThat(response.statusCode()).isEqualTo(302);
		assertThat(fields(response)).isEmpty();
	}

	@Test
	void norDoesThatOfAnotherServletWhereAFilterHasWrappedTheResponse() {
		try (TestServer proxied = TestServer.start(Application.class, "server.forward-headers-strategy=framework",
				"ratelimit.policies.rule.limits[0].limit=100", "ratelimit.policies.rule.limits[0].window=1h",
				"ratelimit.rules[0].path=/ruled/**", "ratelimit.rules[0].policy=rule")) {
			HttpResponse<String> response = proxied.get("/ruled/servlet", "X-Forwarded-Proto", "https");
			assertThat(response.headers().firstValue("Location"))
				.hasValueSatisfying((location) -> assertThat(location).startsWith("https:"));
			assertThat(fields(response)).isEmpty();
		}
	}

	@Test
	void norWhereAPolicyDelays() {
		try (TestServer delaying = TestServer.start(Application.class,
				"ratelimit.policies.rule.limits[0].algorithm=leaky-bucket",
				"ratelimit.policies.rule.limits[0].limit=100", "ratelimit.policies.rule.limits[0].window=1s",
				"ratelimit.policies.rule.limits[0].burst=100", "ratelimit.rules[0].path=/ruled/**",
				"ratelimit.rules[0].policy=rule")) {
			for (String path : List.of("/annotated/", "/ruled/", "/both/")) {
				for (String how : List.of("send", "status", "entity", "late")) {
					HttpResponse<String> response = delaying.get(path + how);
					assertThat(response.statusCode()).as(path + how).isBetween(302, 307);
					assertThat(fields(response)).as(path + how).isEmpty();
				}
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "unmodified", "undone", "restarted", "restarted after that" })
	void whatIsNoRedirectionInTheEndHasThem(String how) {
		for (String path : List.of("/annotated/", "/ruled/")) {
			HttpResponse<String> response = server.get(path + how.replace(" ", "%20"));
			assertThat(response.statusCode()).isEqualTo(how.equals("unmodified") ? 304 : 200);
			assertThat(fields(response)).as(path).hasSize(5);
		}
	}

	@Test
	void whoIsRedirectedInsteadOfRejectedNeedNotWaitForThat() {
		HttpResponse<String> rejected = rejected("view");
		assertThat(rejected.headers().firstValue("Location").orElseThrow()).endsWith("/slow-down");
		assertThat(fields(rejected)).isEmpty();
	}

	@Test
	void unlessTheApplicationSaysSo() {
		HttpResponse<String> rejected = rejected("own");
		assertThat(rejected.statusCode()).isEqualTo(302);
		assertThat(fields(rejected)).containsExactly("retry-after=5");
	}

	@ParameterizedTest
	@ValueSource(strings = { "undone", "restarted" })
	void whoIsRejectedInTheEndIsToldWhenToComeBack(String how) {
		HttpResponse<String> rejected = rejected(how);
		assertThat(rejected.statusCode()).isEqualTo(429);
		assertThat(rejected.headers().allValues("Retry-After")).containsExactly("3600");
		assertThat(fields(rejected)).hasSize(7);
	}

	@Test
	void theApplicationHasTheLastWordOnThatToo() {
		HttpResponse<String> rejected = rejected("restarted-own");
		assertThat(rejected.headers().allValues("Retry-After")).containsExactly("5");
		assertThat(rejected.headers().allValues("RateLimit")).hasSize(1);
	}

	private HttpResponse<String> rejected(String how) {
		assertThat(server.get("/once/" + how).statusCode()).isEqualTo(302);
		return server.get("/once/" + how);
	}

	private static List<String> fields(HttpResponse<String> response) {
		return response.headers()
			.map()
			.entrySet()
			.stream()
			.filter((field) -> field.getKey().toLowerCase(Locale.ROOT).matches("(x-)?ratelimit.*|retry-after"))
			.map((field) -> field.getKey().toLowerCase(Locale.ROOT) + "=" + String.join("|", field.getValue()))
			.toList();
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Redirecting.class, Once.class })
	static class Application {

		@Bean
		ServletRegistrationBean<HttpServlet> servlet() {
			return new ServletRegistrationBean<>(new HttpServlet() {

				@Override
				protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
					response.sendRedirect("/elsewhere");
				}

			}, "/ruled/servlet");
		}

	}

	@Controller
	static class Redirecting {

		@RateLimited(limit = 100, window = "1h")
		@GetMapping("/annotated/{how}")
		Object annotated(@PathVariable String how, HttpServletResponse response) throws IOException {
			return redirect(how, response);
		}

		@GetMapping("/ruled/{how}")
		Object ruled(@PathVariable String how, HttpServletResponse response) throws IOException {
			return redirect(how, response);
		}

		@RateLimited(limit = 100, window = "1h", key = "#how")
		@GetMapping("/both/{how}")
		Object both(@PathVariable String how, HttpServletResponse response) throws IOException {
			return redirect(how, response);
		}

		private static Object redirect(String how, HttpServletResponse response) throws IOException {
			if (how.equals("view")) {
				return "redirect:/elsewhere";
			}
			if (how.equals("entity")) {
				return ResponseEntity.status(303).header("Location", "/elsewhere").build();
			}
			switch (how) {
				case "send" -> response.sendRedirect("/elsewhere");
				case "moved" -> response.sendRedirect("/elsewhere", 301);
				case "status" -> {
					response.setStatus(307);
					response.setHeader("Location", "/elsewhere");
				}
				case "late" -> {
					response.getWriter().write("Found");
					response.setStatus(302);
				}
				case "error" -> response.sendError(302);
				case "others" -> {
					response.addHeader("RateLimit", "\"edge\";r=3");
					response.setStatus(302);
				}
				case "unmodified" -> response.setStatus(304);
				case "undone" -> {
					response.setStatus(302);
					response.setStatus(200);
				}
				case "restarted" -> response.reset();
				case "restarted after that" -> {
					response.setStatus(302);
					response.reset();
				}
				default -> throw new IllegalArgumentException(how);
			}
			return ResponseEntity.status(response.getStatus()).build();
		}

	}

	@Controller
	static class Once {

		@RateLimited(limit = 1, window = "1h")
		@GetMapping("/once/{how}")
		String once() {
			return "redirect:/elsewhere";
		}

		@ExceptionHandler
		@Nullable Object rejected(RateLimitExceededException ex, HttpServletRequest request, HttpServletResponse response)
				throws IOException {
			switch (request.getRequestURI().substring("/once/".length())) {
				case "own" -> {
					response.setHeader("Retry-After", "5");
					response.sendRedirect("/slow-down");
					return null;
				}
				case "undone" -> response.setStatus(302);
				case "restarted" -> response.reset();
				case "restarted-own" -> {
					response.reset();
					response.setHeader("Retry-After", "5");
				}
				default -> {
					return "redirect:/slow-down";
				}
			}
			return ResponseEntity.status(429).body("slow down");
		}

	}

}
