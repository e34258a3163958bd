package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.autoconfigure.RateLimitAutoConfiguration;
import io.github.ratelimit.autoconfigure.RateLimitMethodAutoConfiguration;
import io.github.ratelimit.autoconfigure.RateLimitMvcAutoConfiguration;
import io.github.ratelimit.autoconfigure.RateLimitServletAutoConfiguration;
import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.Registrations;
import io.github.ratelimit.testserver.TestServer;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.filter.RequestContextFilter;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Annotated services that a request calls: from its handler, later and on other threads,
 * from filters and from other servlets. What they reject is an answer like any other and
 * no error in the log, and takes nothing.
 */
@ExtendWith(OutputCaptureExtension.class)
class RejectedServiceTests {

	private static final String PROBLEM = """
			{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded",\
			"title":"Request cannot be satisfied as assigned quota has been exceeded",\
			"status":429,"violated-policies":["%s"]}""";

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		// whatever level another test of this process has left to Tomcat
		server = TestServer.start(Application.class, "logging.level.org.apache.catalina=error",
				"ruled: 100 per 100h; key='all'", "handled: 10 per 10h; key='all'", "one: 1 per 1h; key='all'",
				"/api/** -> ruled");
	}

	@BeforeEach
	void forget() {
		server.forget();
		server.bean(Keys.class).last.set(null);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/api/plain", "/api/announced?length=5", "/api/announced?length=5000", "/api/callable",
			"/api/late-future", "/api/deferred", "/api/early-emitter", "/api/stream", "/dispatched/" })
	void aRejectionBeforeTheResponseIsAnAnswerAndWhatRulesAndHandlerTookGoesBack(String path, CapturedOutput output) {
		exhaust("one");
		Answer rejected = server.get(path).is(429, "Retry-After: 3600");
		assertThat(rejected.body()).isEqualTo(PROBLEM.formatted("one"));
		assertThat(rejected.all("RateLimit")).singleElement().asString().contains("\"one\";r=0");
		assertThat(remaining("ruled")).isEqualTo(100);
		assertThat(remaining("handled")).isEqualTo(10);
		if (path.startsWith("/api/")) {
			assertThat(rejected.field("RateLimit")).contains("\"ruled\";r=100", "\"handled\";r=10");
		}
		checkNothingIsLogged(output);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/api/emitter", "/api/written" })
	void aRejectionInTheMiddleOfTheResponseEndsItAndIsNoError(String path, CapturedOutput output) {
		exhaust("one");
		assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> server.get(path))
			.withCauseInstanceOf(IOException.class);
		checkNothingIsLogged(output);
	}

	@Test
	void otherFailuresStayWhatTheyAreAndAreLogged(CapturedOutput output) {
		assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> server.get("/api/failing"));
		assertThat(output).contains("ERROR", "expected by the test");
		server.get("/servlet/fail").is(500);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/servlet/x", "/servlet/async", "/inner-filter", "/outer-filter" })
	void outsideOfSpringMvcTheKeyIsTheClientsAndARejectionTheSameProblem(String path) {
		server.get(path).is(200);
		assertThat(server.limiter().peek("Helper.help", "127.0.0.1").remaining()).isZero();
		Answer rejected = server.get(path);
		rejected.is(429, "Content-Type: application/problem+json", "Retry-After: 3600",
				"RateLimit: \"Helper.help\";r=0;t=3600");
		assertThat(rejected.body()).isEqualTo(PROBLEM.formatted("Helper.help"));
	}

	@Test
	void noRejectionIsFoundAmongWrappersThatWrapEachOther() {
		ServletException thrown = new ServletException();
		thrown.initCause(new CompletionException(thrown));
		assertThat(RateLimitRejections.find(thrown)).isNull();
	}

	@Test
	void workThatOutlivesItsRequestIsLimitedAsOutsideOfOne() throws Exception {
		assertThat(server.get("/hand-over").body()).isEqualTo("handed over");
		Threads threads = server.bean(Threads.class);
		threads.goOn.countDown();
		assertThat(threads.done.get(30, TimeUnit.SECONDS)).isEqualTo("helped");
		assertThat(server.bean(Keys.class).last.get()).isEqualTo("shared:");
	}

	@Test
	void workOnAnotherThreadIsLimitedByTheRequestWhileThatLasts() {
		assertThat(server.get("/wait-for").body()).isEqualTo("helped");
		assertThat(server.bean(Keys.class).last.get()).isEqualTo("127.0.0.1");
	}

	@Test
	void aThreadOfTheServerThatHasInheritedAnEarlierRequestServesItsOwn() {
		server.get("/inherited/kept");
		assertThat(server.bean(Keys.class).last.get()).isEqualTo("127.0.0.1");
		server.get("/inherited/over").is(429);
		assertThat(server.bean(Keys.class).last.get()).isEqualTo("127.0.0.1");
	}

	@Test
	void aRequestIsBoundOnceWithSpringMvcAndWithout() {
		AutoConfigurations ours = AutoConfigurations.of(RateLimitAutoConfiguration.class,
				RateLimitServletAutoConfiguration.class);
		new WebApplicationContextRunner().withConfiguration(ours)
			.run((context) -> assertThat(
					context.getBean("rateLimitRequestContextFilter", FilterRegistrationBean.class).getFilter())
				.isInstanceOf(RequestContextFilter.class));
		new WebApplicationContextRunner().withConfiguration(ours)
			.withConfiguration(AutoConfigurations.of(WebMvcAutoConfiguration.class, RateLimitMvcAutoConfiguration.class,
					RateLimitMethodAutoConfiguration.class))
			.run((context) -> assertThat(context).hasSingleBean(RequestContextFilter.class)
				.doesNotHaveBean("rateLimitRequestContextFilter"));
	}

	private static void exhaust(String policy) {
		server.limiter().decide(policy, "all", server.limiter().peek(policy, "all").remaining());
	}

	private static long remaining(String policy) {
		return server.limiter().peek(policy, "all").remaining();
	}

	private static void checkNothingIsLogged(CapturedOutput output) {
		assertThat(output).doesNotContain("ERROR", "WARN", "RateLimitExceededException");
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Helper.class, Api.class, Threads.class, Keys.class })
	static class Application {

		@Bean
		ServletRegistrationBean<?> plainServlet(Helper helper) {
			return Registrations.servlet("/servlet/*", (request, response) -> {
				if (request.getRequestURI().endsWith("/fail")) {
					throw new IllegalStateException("expected by the test");
				}
				boolean async = request.getRequestURI().endsWith("/async");
				AsyncContext context = async ? request.startAsync() : null;
				String help = helper.help();
				response.getWriter().write(help);
				if (context != null) {
					context.complete();
				}
			});
		}

		@Bean
		ServletRegistrationBean<?> dispatchingServlet(Helper helper) {
			return Registrations.servlet("/dispatched/*", (request, response) -> {
				if (request.getDispatcherType() == DispatcherType.ASYNC) {
					helper.helpOnce();
				}
				else {
					request.startAsync().dispatch();
				}
			});
		}

		@Bean
		FilterRegistrationBean<?> inheritedRequest() {
			return Registrations.filter(Ordered.HIGHEST_PRECEDENCE, Application::inherit);
		}

		@Bean
		FilterRegistrationBean<?> innerFilter(Helper helper) {
			return calling(Ordered.LOWEST_PRECEDENCE, "/inner-filter|/inherited/.*", helper);
		}

		@Bean
		FilterRegistrationBean<?> outerFilter(Helper helper) {
			return calling(-103, "/outer-filter", helper);
		}

		private static FilterRegistrationBean<?> calling(int order, String path, Helper helper) {
			return Registrations.filter(order, (request, response, chain) -> {
				if (request.getRequestURI().matches(path)) {
					String help = helper.help();
					response.getWriter().write(help);
				}
				else {
					chain.doFilter(request, response);
				}
			});
		}

		/*
		 * As a thread finds it that was started by another one that served a request.
		 */
		private static void inherit(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws IOException, ServletException {
			String path = request.getRequestURI();
			if (!path.startsWith("/inherited/")) {
				chain.doFilter(request, response);
				return;
			}
			MockHttpServletRequest earlier = new MockHttpServletRequest();
			earlier.setRemoteAddr("192.0.2.9");
			ServletRequestAttributes attributes = new ServletRequestAttributes(earlier);
			if (path.endsWith("/over")) {
				attributes.requestCompleted();
			}
			RequestContextHolder.setRequestAttributes(attributes);
			try {
				chain.doFilter(request, response);
			}
			finally {
				RequestContextHolder.resetRequestAttributes();
			}
		}

	}

	@Component
	static class Helper {

		@RateLimited(limit = 1, window = "1h")
		public String help() {
			return "helped";
		}

		@RateLimited("one")
		public String helpOnce() {
			return "helped once";
		}

	}

	@Component
	static class Keys implements RateLimitListener {

		private final AtomicReference<String> last = new AtomicReference<>();

		@Override
		public void onDecision(RateLimitPolicy policy, String key, RateLimitDecision decision,
				RateLimitOutcome outcome) {
			this.last.set(key);
		}

	}

	@RestController
	static class Api {

		private final Helper helper;

		Api(Helper helper) {
			this.helper = helper;
		}

		@RateLimited("handled")
		@GetMapping("/api/{way}")
		@Nullable Object answer(@PathVariable String way, @RequestParam(defaultValue = "0") int length,
				HttpServletResponse response) throws IOException {
			return switch (way) {
				case "plain" -> this.helper.helpOnce();
				case "announced" -> {
					response.setContentLength(length);
					yield this.helper.helpOnce();
				}
				case "callable" -> (Callable<String>) this.helper::helpOnce;
				case "late-future" -> CompletableFuture.supplyAsync(() -> "a")
					.thenApply((a) -> this.helper.helpOnce())
					.thenApply((a) -> a);
				case "deferred" -> deferred();
				case "emitter" -> emitter();
				case "early-emitter" -> earlyEmitter();
				case "stream" -> (StreamingResponseBody) (out) -> this.helper.helpOnce();
				default -> {
					response.getOutputStream().print("begun");
					response.flushBuffer();
					if (way.equals("failing")) {
						throw new IllegalStateException("expected by the test");
					}
					yield this.helper.helpOnce();
				}
			};
		}

		private DeferredResult<String> deferred() {
			DeferredResult<String> result = new DeferredResult<>();
			new Thread(() -> {
				try {
					result.setResult(this.helper.helpOnce());
				}
				catch (RuntimeException ex) {
					result.setErrorResult(ex);
				}
			}).start();
			return result;
		}

		private ResponseBodyEmitter emitter() {
			ResponseBodyEmitter emitter = new ResponseBodyEmitter();
			new Thread(() -> {
				try {
					emitter.send("begun");
					emitter.send(this.helper.helpOnce());
					emitter.complete();
				}
				catch (IOException | RuntimeException ex) {
					emitter.completeWithError(ex);
				}
			}).start();
			return emitter;
		}

		private ResponseBodyEmitter earlyEmitter() {
			ResponseBodyEmitter emitter = new ResponseBodyEmitter();
			try {
				this.helper.helpOnce();
			}
			catch (RuntimeException ex) {
				emitter.completeWithError(ex);
			}
			return emitter;
		}

	}

	@RestController
	static class Threads {

		private final CountDownLatch goOn = new CountDownLatch(1);

		private final CompletableFuture<String> done = new CompletableFuture<>();

		private final Helper helper;

		Threads(Helper helper) {
			this.helper = helper;
		}

		@GetMapping("/hand-over")
		String handOver() {
			RequestAttributes attributes = RequestContextHolder.currentRequestAttributes();
			this.done.completeAsync(() -> {
				TestServer.await(() -> this.goOn.getCount() == 0 && isOver(attributes));
				return help(attributes);
			}, (work) -> new Thread(work).start());
			return "handed over";
		}

		/* The client may have its answer before. */
		private static boolean isOver(RequestAttributes attributes) {
			try {
				attributes.getAttribute("any", RequestAttributes.SCOPE_REQUEST);
				return false;
			}
			catch (IllegalStateException ex) {
				return true;
			}
		}

		@GetMapping("/wait-for")
		String waitFor() {
			RequestAttributes attributes = RequestContextHolder.currentRequestAttributes();
			return CompletableFuture.supplyAsync(() -> help(attributes)).join();
		}

		private String help(RequestAttributes attributes) {
			RequestContextHolder.setRequestAttributes(attributes);
			try {
				return this.helper.help();
			}
			finally {
				RequestContextHolder.resetRequestAttributes();
			}
		}

	}

}
