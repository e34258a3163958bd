package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.util.List;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.annotation.RateLimited;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
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
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.filter.OncePerRequestFilter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Header fields are set when it is decided, so that whatever answers afterwards has them,
 * and a later decision on the same request speaks for the earlier ones, too.
 */
class DecidedFieldsTests {

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.start(Application.class, "rule: 9 per 1h", "/** -> rule");
	}

	@BeforeEach
	void forget() {
		server.forget();
	}

	@Test
	void anAnnotationTakesThePlaceOfWhatTheRuleHasSet() {
		Answer response = server.get("/both");
		assertThat(rateLimit(response)).containsExactly("\"rule\";r=8;t=3200, \"Controller.both\";r=4;t=2880");
		assertThat(response.all("X-RateLimit-Limit")).containsExactly("5");
	}

	@Test
	void aLineThatAFilterAddsStaysBesideOurs() {
		assertThat(rateLimit(server.get("/both", "Answer", "add"))).containsExactlyInAnyOrder("\"edge\";r=1",
				"\"rule\";r=8;t=3200, \"Controller.both\";r=4;t=2880");
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
	@ValueSource(strings = { "flush", "write", "print", "error", "not modified", "read", "nothing", "async",
			"async-own", "redirect" })
	void whateverAFilterAnswersHasTheFieldsOfTheRule(String answer) {
		Answer response = server.get("/both", "Answer", answer);
		assertThat(rateLimit(response)).containsExactly("\"rule\";r=8;t=3200");
	}

	@Test
	void aFieldThatTheApplicationSetsItselfStays() {
		Answer response = server.get("/rule", "Answer", "own");
		assertThat(response.all("X-RateLimit-Limit")).containsExactly("7");
		assertThat(response.all("X-RateLimit-Remaining")).containsExactly("3");
		assertThat(rateLimit(response)).containsExactly("\"rule\";r=8;t=3200");
	}

	@Test
	void aCallThatIsBoundToNoResponseDoesNotLoseTheFields() {
		assertThat(rateLimit(server.get("/rule", "Answer", "call"))).singleElement()
			.asString()
			.contains("\"rule\";r=8;t=3200");
	}

	@ParameterizedTest
	@CsvSource({ "/rule, '\"rule\";r=8;t=3200'", "/both, '\"rule\";r=8;t=3200, \"Controller.commitBoth\";r=4;t=2880'" })
	void aHandlerThatCommitsWithinAnIncludeDoesNotLoseTheFields(String path, String fields) {
		Answer response = server.get(path, "Answer", "include-commit");
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
	void aServletHasTheServersOwnResponse() {
		Answer response = server.get("/servlet");
		assertThat(response.body()).isEqualTo("org.apache.catalina.connector.ResponseFacade");
		assertThat(rateLimit(response)).containsExactly("\"rule\";r=8;t=3200");
	}

	@ParameterizedTest
	@CsvSource({ "plain, 3600", "restarted, 3600", "set, 5", "restarted-set, 5", "entity, 5" })
	void aRejectionTellsWhenToComeBackWhateverTheApplicationDoesToIts429(String how, String seconds) {
		server.get("/once/" + how);
		Answer rejected = server.get("/once/" + how);
		rejected.is(429, "Retry-After: " + seconds);
		assertThat(rateLimit(rejected)).hasSize(1);
	}

	private static List<String> rateLimit(Answer response) {
		return response.all("RateLimit");
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Controller.class, Once.class, AnsweringFilter.class, Service.class })
	static class Application {

		@Bean
		ServletRegistrationBean<?> servlet() {
			return Registrations.servlet("/servlet",
					(request, response) -> response.getWriter().write(response.getClass().getName()));
		}

	}

	static class Service {

		@RateLimited(limit = 100, window = "1h")
		void call() {
		}

	}

	/**
	 * Answers in place of the handler, if it is asked to.
	 */
	@Order(Ordered.LOWEST_PRECEDENCE - 10)
	static class AnsweringFilter extends OncePerRequestFilter {

		private final Service service;

		AnsweringFilter(Service service) {
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
				case "redirect" -> response.sendRedirect("/elsewhere");
				case "add" -> {
					response.addHeader("RateLimit", "\"edge\";r=1");
					chain.doFilter(request, response);
				}
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
				context.getResponse().getWriter().write("written");
			}
			catch (IOException ex) {
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

	@RestController
	static class Once {

		@RateLimited(limit = 1, window = "1h")
		@GetMapping("/once/{how}")
		String once() {
			return "allowed";
		}

		@ExceptionHandler
		ResponseEntity<String> rejected(RateLimitExceededException ex, HttpServletRequest request,
				HttpServletResponse response) {
			String how = request.getRequestURI().substring("/once/".length());
			if (how.startsWith("restarted")) {
				response.reset();
			}
			if (how.endsWith("set")) {
				response.setHeader("Retry-After", "5");
			}
			ResponseEntity.BodyBuilder answer = ResponseEntity.status(429);
			return (how.equals("entity") ? answer.header("Retry-After", "5") : answer).body("slow down");
		}

	}

}
