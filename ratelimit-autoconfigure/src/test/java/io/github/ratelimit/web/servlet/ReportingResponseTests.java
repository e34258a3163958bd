package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.ratelimit.annotation.RateLimited;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
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
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.filter.OncePerRequestFilter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Header fields are set once for a rule and an annotation, and in time for whatever
 * answers between the two.
 */
class ReportingResponseTests {

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.start(Application.class, "ratelimit.policies.rule.limits[0].limit=9",
				"ratelimit.policies.rule.limits[0].window=1h", "ratelimit.rules[0].path=/**",
				"ratelimit.rules[0].policy=rule");
	}

	@BeforeEach
	void forget() {
		server.forget();
		server.bean(CountingFilter.class).forget();
	}

	@Test
	void aRuleAndAnAnnotationSetEachFieldOnce() {
		assertThat(rateLimit(server.get("/both")))
			.containsExactly("\"rule\";r=8;t=3200, \"Controller.both\";r=4;t=2880");
		assertThat(server.bean(CountingFilter.class).set).doesNotHaveDuplicates().contains("RateLimit");
	}

	@Test
	void aHandlerReadsTheFieldsOfBoth() {
		assertThat(server.get("/both").body()).isEqualTo("\"rule\";r=8;t=3200, \"Controller.both\";r=4;t=2880");
	}

	@Test
	void aHandlerWithoutLimitsReadsThoseOfTheRule() {
		assertThat(server.get("/rule").body()).isEqualTo("\"rule\";r=8;t=3200");
	}

	@ParameterizedTest
	@ValueSource(strings = { "flush", "write", "print", "error", "not modified", "read", "nothing" })
	void whateverAFilterAnswersHasTheFieldsOfTheRule(String answer) {
		HttpResponse<String> response = server.get("/both", "Answer", answer);
		assertThat(rateLimit(response)).containsExactly("\"rule\";r=8;t=3200");
		assertThat(server.bean(CountingFilter.class).set).contains("RateLimit");
	}

	@Test
	void aFilterThatRestartsTheResponseDoesNotLoseTheFields() {
		assertThat(rateLimit(server.get("/both", "Answer", "reset"))).containsExactly("\"rule\";r=8;t=3200");
	}

	@Test
	void aFieldThatAFilterSetsItselfIsReplaced() {
		HttpResponse<String> response = server.get("/rule", "Answer", "own");
		assertThat(response.headers().allValues("X-RateLimit-Limit")).containsExactly("9");
		assertThat(response.headers().allValues("X-RateLimit-Remaining")).containsExactly("8");
		assertThat(rateLimit(response)).containsExactly("\"rule\";r=8;t=3200");
	}

	@Test
	void aCallThatIsBoundToNoResponseDoesNotLoseTheFields() {
		assertThat(rateLimit(server.get("/rule", "Answer", "call"))).singleElement()
			.asString()
			.contains("\"rule\";r=8;t=3200");
	}

	@Test
	void theServersThreadLeavesAResponseAloneThatAnotherThreadWrites() {
		assertThat(rateLimit(server.get("/both", "Answer", "async"))).containsExactly("\"rule\";r=8;t=3200");
		assertThat(server.bean(CountingFilter.class).setters).containsOnly("writer");
	}

	@Test
	void aFilterThatSuspendsTheRequestWithTheServersOwnResponseDoesNotLoseTheFields() {
		assertThat(rateLimit(server.get("/both", "Answer", "async-own"))).containsExactly("\"rule\";r=8;t=3200");
		assertThat(server.bean(CountingFilter.class).setters).doesNotContain("writer");
	}

	@ParameterizedTest
	@CsvSource({ "/rule, '\"rule\";r=8;t=3200'", "/both, '\"rule\";r=8;t=3200, \"Controller.commitBoth\";r=4;t=2880'" })
	void aHandlerThatCommitsWithinAnIncludeDoesNotLoseTheFields(String path, String fields) {
		HttpResponse<String> response = server.get(path, "Answer", "include-commit");
		assertThat(response.body()).isEqualTo("committed");
		assertThat(rateLimit(response)).containsExactly(fields);
	}

	@Test
	void aFilterThatIncludesAHandlerDoesNotLoseTheFields() {
		assertThat(rateLimit(server.get("/rule", "Answer", "include"))).singleElement()
			.asString()
			.startsWith("\"rule\";r=8;t=3200");
	}

	@Test
	void anotherServletHasTheServersOwnResponse() {
		HttpResponse<String> response = server.get("/servlet");
		assertThat(response.body()).isNotEqualTo(ReportingResponse.class.getName());
		assertThat(rateLimit(response)).containsExactly("\"rule\";r=8;t=3200");
	}

	private static List<String> rateLimit(HttpResponse<String> response) {
		return response.headers().allValues("RateLimit");
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Controller.class, CountingFilter.class, AnsweringFilter.class, Service.class })
	static class Application {

		@Bean
		ServletRegistrationBean<HttpServlet> servlet() {
			return new ServletRegistrationBean<>(new HttpServlet() {

				@Override
				protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
					response.getWriter().write(response.getClass().getName());
				}

			}, "/servlet");
		}

	}

	static class Service {

		@RateLimited(limit = 100, window = "1h")
		void call() {
		}

	}

	/**
	 * Sees every field that is set.
	 */
	@Order(Ordered.HIGHEST_PRECEDENCE)
	static class CountingFilter extends OncePerRequestFilter {

		private final List<String> set = new CopyOnWriteArrayList<>();

		private final List<String> setters = new CopyOnWriteArrayList<>();

		private final AtomicInteger inside = new AtomicInteger();

		private volatile CountDownLatch left = new CountDownLatch(1);

		/* A client may have its answer before the server's thread has left. */
		void forget() {
			TestServer.await(() -> this.inside.get() == 0);
			this.set.clear();
			this.setters.clear();
			this.left = new CountDownLatch(1);
		}

		@Override
		protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws ServletException, IOException {
			this.inside.incrementAndGet();
			try {
				chain.doFilter(request, new HttpServletResponseWrapper(response) {

					@Override
					public void setHeader(String name, String value) {
						if (name.contains("RateLimit")) {
							CountingFilter.this.set.add(name);
							CountingFilter.this.setters.add(Thread.currentThread().getName());
						}
						super.setHeader(name, value);
					}

				});
				this.left.countDown();
			}
			finally {
				this.inside.decrementAndGet();
			}
		}

	}

	/**
	 * Answers in place of the handler, if it is asked to.
	 */
	@Order(Ordered.LOWEST_PRECEDENCE - 10)
	static class AnsweringFilter extends OncePerRequestFilter {

		private final CountingFilter outer;

		private final Service service;

		AnsweringFilter(CountingFilter outer, Service service) {
			this.outer = outer;
			this.service = service;
		}

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
				case "not modified" -> response.setStatus(304);
				case "read" -> assertThat(response.getHeader("RateLimit")).isNotNull();
				case "reset" -> response.reset();
				case "nothing" -> response.setStatus(204);
				case "own" -> {
					response.setHeader("X-RateLimit-Limit", "7");
					response.setIntHeader("X-RateLimit-Remaining", 3);
					chain.doFilter(request, response);
				}
				case "call" -> {
					RequestAttributes bound = RequestContextHolder.getRequestAttributes();
					RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(request));
					this.service.call();
					RequestContextHolder.setRequestAttributes(bound);
					chain.doFilter(request, response);
				}
				case "include" -> request.getRequestDispatcher("/both").include(request, response);
				case "include-commit" ->
					request.getRequestDispatcher(request.getRequestURI() + "/commit").include(request, response);
				case "async-own" -> {
					AsyncContext context = request.startAsync();
					new Thread(() -> write(context), "writer").start();
				}
				case "async" -> {
					AsyncContext context = request.startAsync(request, response);
					new Thread(() -> write(context), "writer").start();
				}
				default -> chain.doFilter(request, response);
			}
		}

		private void write(AsyncContext context) {
			try {
				this.outer.left.await();
				context.getResponse().getWriter().write("written");
			}
			catch (InterruptedException | IOException ex) {
				throw new IllegalStateException(ex);
			}
			finally {
				context.complete();
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

		@RateLimited(limit = 5, window = "1h")
		@GetMapping("/both/commit")
		void commitBoth(HttpServletResponse response) throws IOException {
			commitRule(response);
		}

		@GetMapping("/rule/commit")
		void commitRule(HttpServletResponse response) throws IOException {
			response.getOutputStream().print("committed");
			response.flushBuffer();
		}

		@GetMapping("/rule")
		String rule(HttpServletResponse response) {
			return String.valueOf(response.getHeader("RateLimit"));
		}

	}

}
