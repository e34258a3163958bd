package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.Registrations;
import io.github.ratelimit.testserver.TestServer;
import io.github.ratelimit.web.HeaderName;
import io.github.ratelimit.web.HeaderSettings;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The fields of a decision are set when it is made, and whoever answers whatever: they
 * are there once, and what the application does to them stays.
 */
class ServletResponseFieldsTests {

	private static final String RULE = "\"rule\";r=8;t=3200";

	private static final String BOTH = RULE + ", \"Controller.both\";r=4;t=2880";

	/* What is set beside a policy's own fields. */
	private static volatile Consumer<HttpServletResponse> setting;

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.start(Application.class, "rule: 9 per 1h", "/rule/** -> rule", "/both/** -> rule",
				"/servlet -> rule", "/once/** -> rule");
	}

	@BeforeEach
	void forget() {
		server.forget();
	}

	@Test
	void anAnnotationTakesThePlaceOfWhatTheRuleHasSetAndTheHandlerReadsBoth() {
		Answer response = server.get("/both").is(200, "RateLimit: " + BOTH, "X-RateLimit-Limit: 5");
		assertThat(response.body()).isEqualTo(BOTH);
		assertThat(server.get("/rule").body()).as("of a handler without limits").startsWith("\"rule\";r=7");
	}

	@Test
	void aLineThatAFilterAddsStaysBesideOurs() {
		assertThat(server.get("/both", "Answer", "add").all("RateLimit")).containsExactlyInAnyOrder("\"edge\";r=1",
				BOTH);
	}

	@ParameterizedTest
	@ValueSource(strings = { "flush", "write", "print", "error", "not modified", "read", "nothing", "async",
			"async-own", "redirect" })
	void whateverAFilterAnswersHasTheFieldsOfTheRule(String answer) {
		assertThat(server.get("/both", "Answer", answer).all("RateLimit")).containsExactly(RULE);
	}

	@Test
	void aFieldThatTheApplicationSetsItselfStays() {
		server.get("/rule", "Answer", "own")
			.is(200, "X-RateLimit-Limit: 7", "X-RateLimit-Remaining: 3", "RateLimit: " + RULE);
	}

	@ParameterizedTest
	@ValueSource(strings = { "call", "include" })
	void aCallThatIsBoundToNoResponseAndAnIncludedHandlerDoNotLoseTheFields(String answer) {
		assertThat(server.get("/rule", "Answer", answer).all("RateLimit")).singleElement().asString().contains(RULE);
	}

	@ParameterizedTest
	@CsvSource({ "/rule, '\"rule\";r=8;t=3200'", "/both, '\"rule\";r=8;t=3200, \"Controller.commitBoth\";r=4;t=2880'" })
	void aHandlerThatCommitsWithinAnIncludeDoesNotLoseTheFields(String path, String fields) {
		Answer response = server.get(path, "Answer", "include-commit").is(200, "RateLimit: " + fields);
		assertThat(response.body()).isEqualTo("committed");
	}

	@Test
	void aServletHasTheServersOwnResponse() {
		Answer response = server.get("/servlet").is(200, "RateLimit: " + RULE);
		assertThat(response.body()).isEqualTo("org.apache.catalina.connector.ResponseFacade");
	}

	@ParameterizedTest
	@CsvSource({ "plain, 3600", "restarted, 3600", "set, 5", "restarted-set, 5", "entity, 5" })
	void aRejectionTellsWhenToComeBackWhateverTheApplicationDoesToIts429(String how, String seconds) {
		server.get("/once/" + how);
		Answer rejected = server.get("/once/" + how).is(429, "Retry-After: " + seconds);
		assertThat(rejected.all("RateLimit")).hasSize(1);
	}

	@Test
	void aFieldThatIsSetIsSentAndCanBeRead() {
		assertThat(set((response) -> {
			set(fields(response), HeaderName.RATE_LIMIT, ascii("\"search\";r=9"));
			assertThat(response.containsHeader("ratelimit")).isTrue();
			assertThat(response.getHeader("RateLimit")).isEqualTo("\"search\";r=9");
			assertThat(response.getHeaderNames()).contains("RateLimit");
		}).all("RateLimit")).containsExactly("\"search\";r=9");
	}

	@Test
	void aFieldTakesThePlaceOfAllEarlierOnes() {
		assertThat(set((response) -> {
			response.addHeader("x-ratelimit-limit", "1");
			response.addHeader("X-RateLimit-Limit", "2");
			ServletResponseFields fields = fields(response);
			set(fields, HeaderName.X_RATE_LIMIT_LIMIT, ascii("3"));
			set(fields, HeaderName.X_RATE_LIMIT_LIMIT, ascii("4"));
		}).all("X-RateLimit-Limit")).containsExactly("4");
	}

	@Test
	void aLineOfAListTakesThePlaceOfOurOwnAlone() {
		assertThat(set((response) -> {
			response.addHeader("ratelimit", "one");
			ServletResponseFields fields = fields(response);
			set(fields, HeaderName.RATE_LIMIT, ascii("two"));
			response.addHeader("RateLimit", "three");
			fields.use(response);
			set(fields, HeaderName.RATE_LIMIT, ascii("four"));
		}).all("RateLimit")).containsExactlyInAnyOrder("one", "three", "four");
	}

	@Test
	void anotherFieldTakesItsPlaceAndAResetTakesItAway() {
		assertThat(set((response) -> {
			set(fields(response), HeaderName.RATE_LIMIT, ascii("one"));
			response.setHeader("RateLimit", "two");
		}).all("RateLimit")).containsExactly("two");
		assertThat(set((response) -> {
			set(fields(response), HeaderName.RATE_LIMIT, ascii("one"));
			response.reset();
		}).all("RateLimit")).isEmpty();
	}

	@Test
	void theNextResponseOnTheConnectionHasItsOwn() {
		for (int i = 0; i < 20; i++) {
			String value = "a value that is longer than thirty-two bytes, " + i;
			boolean limited = i % 2 == 0;
			Answer answer = set((response) -> {
				if (limited) {
					set(fields(response), HeaderName.RATE_LIMIT_POLICY, ascii(value));
				}
				response.setContentLength(0);
			});
			answer.is(200, "RateLimit-Policy:" + (limited ? " " + value : ""), "Content-Length: 0");
		}
	}

	@Test
	void whoWrapsTheResponseSeesItsFields() {
		StringBuilder seen = new StringBuilder();
		assertThat(set((response) -> set(fields(new HttpServletResponseWrapper(response) {

			@Override
			public void setHeader(String name, String value) {
				seen.append(name).append('=').append(value);
				super.setHeader(name, value);
			}

		}), HeaderName.RATE_LIMIT, ascii("one"))).all("RateLimit")).containsExactly("one");
		assertThat(seen).hasToString("RateLimit=one");
	}

	private static ServletResponseFields fields(HttpServletResponse response) {
		return new ServletResponseFields(response, server.bean(HeaderSettings.class));
	}

	private static void set(ServletResponseFields fields, HeaderName name, byte[] value) {
		byte[] @Nullable [] values = new byte[HeaderName.values().length][];
		values[name.ordinal()] = value;
		fields.set(values);
	}

	private static byte[] ascii(String text) {
		return text.getBytes(StandardCharsets.US_ASCII);
	}

	private static Answer set(Consumer<HttpServletResponse> fields) {
		setting = fields;
		return server.get("/setting").is(200);
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Controller.class, Once.class, Service.class })
	static class Application {

		@Bean
		ServletRegistrationBean<?> servlet() {
			return Registrations.servlet("/servlet",
					(request, response) -> response.getWriter().write(response.getClass().getName()));
		}

		@Bean
		ServletRegistrationBean<?> setting() {
			return Registrations.servlet("/setting", (request, response) -> setting.accept(response));
		}

		/* Answers in place of the handler, if it is asked to. */
		@Bean
		FilterRegistrationBean<?> answering(Service service) {
			return Registrations.filter(Ordered.LOWEST_PRECEDENCE - 10, (request, response, chain) -> {
				String answer = request.getHeader("Answer");
				switch ((answer != null) ? answer : "") {
					case "flush" -> response.flushBuffer();
					case "write" -> response.getOutputStream().close();
					case "print" -> response.getWriter().close();
					case "error" -> response.sendError(400);
					case "not modified" -> response.setStatus(304);
					case "read" -> assertThat(response.getHeader("RateLimit")).isNotNull();
					case "redirect" -> response.sendRedirect("/elsewhere");
					case "nothing" -> response.setStatus(204);
					case "include" -> request.getRequestDispatcher("/both").include(request, response);
					case "include-commit" ->
						request.getRequestDispatcher(request.getRequestURI() + "/commit").include(request, response);
					case "async-own" -> writeLater(request.startAsync());
					case "async" -> writeLater(request.startAsync(request, response));
					default -> {
						prepare(answer, service, request, response);
						chain.doFilter(request, response);
					}
				}
			});
		}

		private static void prepare(@Nullable String answer, Service service, HttpServletRequest request,
				HttpServletResponse response) {
			if ("add".equals(answer)) {
				response.addHeader("RateLimit", "\"edge\";r=1");
			}
			else if ("own".equals(answer)) {
				response.setHeader("X-RateLimit-Limit", "7");
				response.setIntHeader("X-RateLimit-Remaining", 3);
			}
			else if ("call".equals(answer)) {
				RequestAttributes bound = RequestContextHolder.getRequestAttributes();
				RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(request));
				service.call();
				RequestContextHolder.setRequestAttributes(bound);
			}
		}

		private static void writeLater(AsyncContext context) {
			new Thread(() -> {
				try {
					context.getResponse().getWriter().write("written");
				}
				catch (IOException ex) {
					throw new IllegalStateException(ex);
				}
				finally {
					context.complete();
				}
			}, "writer").start();
		}

	}

	static class Service {

		@RateLimited(limit = 100, window = "1h")
		void call() {
		}

	}

	@RestController
	static class Controller {

		@RateLimited(limit = 5, window = "1h")
		@GetMapping("/both")
		String both(HttpServletResponse response) {
			return rule(response);
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
