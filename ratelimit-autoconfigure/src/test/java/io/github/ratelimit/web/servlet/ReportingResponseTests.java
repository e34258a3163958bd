package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.ratelimit.annotation.RateLimited;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Header fields are set once for a rule and an annotation, and in time for whatever
 * answers between the two.
 */
class ReportingResponseTests {

	private final TestServer server = TestServer.start(Application.class, "ratelimit.policies.rule.limits[0].limit=9",
			"ratelimit.policies.rule.limits[0].window=1h", "ratelimit.rules[0].path=/**",
			"ratelimit.rules[0].policy=rule");

	@AfterEach
	void stop() {
		this.server.close();
	}

	@Test
	void aRuleAndAnAnnotationSetEachFieldOnce() {
		assertThat(rateLimit(this.server.get("/both")))
			.containsExactly("\"rule\";r=8;t=400, \"Controller.both\";r=4;t=720");
		assertThat(this.server.bean(CountingFilter.class).set).doesNotHaveDuplicates().contains("RateLimit");
	}

	@Test
	void aHandlerReadsTheFieldsOfBoth() {
		assertThat(this.server.get("/both").body()).isEqualTo("\"rule\";r=8;t=400, \"Controller.both\";r=4;t=720");
	}

	@Test
	void aHandlerWithoutLimitsReadsThoseOfTheRule() {
		assertThat(this.server.get("/rule").body()).isEqualTo("\"rule\";r=8;t=400");
	}

	@ParameterizedTest
	@ValueSource(strings = { "flush", "write", "print", "error", "redirect", "read", "nothing" })
	void whateverAFilterAnswersHasTheFieldsOfTheRule(String answer) {
		HttpResponse<String> response = this.server.get("/both", "Answer", answer);
		assertThat(rateLimit(response)).containsExactly("\"rule\";r=8;t=400");
		assertThat(this.server.bean(CountingFilter.class).set).contains("RateLimit");
	}

	@Test
	void aFilterThatRestartsTheResponseDoesNotLoseTheFields() {
		assertThat(rateLimit(this.server.get("/both", "Answer", "reset"))).containsExactly("\"rule\";r=8;t=400");
	}

	private static List<String> rateLimit(HttpResponse<String> response) {
		return response.headers().allValues("RateLimit");
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Controller.class, CountingFilter.class, AnsweringFilter.class })
	static class Application {

	}

	/**
	 * Sees every field that is set.
	 */
	@Order(Ordered.HIGHEST_PRECEDENCE)
	static class CountingFilter extends OncePerRequestFilter {

		private final List<String> set = new CopyOnWriteArrayList<>();

		@Override
		protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws ServletException, IOException {
			chain.doFilter(request, new HttpServletResponseWrapper(response) {

				@Override
				public void setHeader(String name, String value) {
					if (name.contains("RateLimit")) {
						CountingFilter.this.set.add(name);
					}
					super.setHeader(name, value);
				}

			});
		}

	}

	/**
	 * Answers in place of the handler, if it is asked to.
	 */
	@Order(Ordered.LOWEST_PRECEDENCE - 10)
	static class AnsweringFilter extends OncePerRequestFilter {

		@Override
		protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws ServletException, IOException {
			String answer = request.getHeader("Answer");
			switch ((answer != null) ? answer : "") {
				case "flush" -> response.flushBuffer();
				case "write" -> {
					response.getOutputStream().write(1);
					response.getOutputStream().close();
				}
				case "print" -> response.getWriter().close();
				case "error" -> response.sendError(400);
				case "redirect" -> response.sendRedirect("/rule");
				case "read" -> assertThat(response.getHeader("RateLimit")).isNotNull();
				case "reset" -> response.reset();
				case "nothing" -> response.setStatus(204);
				default -> chain.doFilter(request, response);
			}
		}

	}

	@RestController
	static class Controller {

		@RateLimited(limit = 5, window = "1h")
		@GetMapping("/both")
		String both(HttpServletResponse response) {
			return String.valueOf(response.getHeader("RateLimit"));
		}

		@GetMapping("/rule")
		String rule(HttpServletResponse response) {
			return String.valueOf(response.getHeader("RateLimit"));
		}

	}

}
