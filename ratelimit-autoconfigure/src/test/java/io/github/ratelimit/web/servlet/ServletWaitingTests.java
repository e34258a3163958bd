package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.Registrations;
import io.github.ratelimit.testserver.TestServer;
import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.test.ManualClock;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.tomcat.TomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.context.support.DefaultLifecycleProcessor;
import org.springframework.core.Ordered;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

/**
 * Requests that a leaky bucket delays and that filters, servlets, forwards and the
 * servlet API's time-outs meet: each waits once, and whatever becomes of it leaves its
 * place.
 */
class ServletWaitingTests {

	private static final Duration GENEROUS = Duration.ofSeconds(60);

	private static final Duration FOR_EVER = Duration.ofHours(1);

	private static final String[] PROPERTIES = { "server.http2.enabled=true",
			"hour: 1 per 1h; algorithm=leaky-bucket; burst=1000; key=header('Who')",
			"soon: 20 per 1s; algorithm=leaky-bucket; burst=20", "slower: 1 per 1h; algorithm=leaky-bucket; burst=10",
			"/ruled/hour/** -> hour", "/ruled/soon/** -> soon", "/plain/soon -> soon", "/plain/hour/** -> hour",
			"/ruled/slower -> slower", "/plain/slower -> slower" };

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = start(10);
	}

	@BeforeEach
	void forget() {
		TestServer.await(() -> room(server).waiting() == 0);
		server.forget();
		numbers(server).clear();
	}

	@Test
	@EnabledForJreRange(min = JRE.JAVA_21)
	void requestsWaitOnVirtualThreadsToo() {
		try (TestServer server = start(10, "spring.threads.virtual.enabled=true")) {
			assertThat(server.get("/thread").body()).isEqualTo("true");
			assertThat(server.get("/soon").body()).isEqualTo("soon");
			assertThat(server.get("/soon").body()).isEqualTo("soon");
			assertThat(server.limiter().policy("soon").count(RateLimitOutcome.DELAYED)).isEqualTo(1);
		}
	}

	@Test
	void anAsynchronousHandlerAnswersAfterTheWaitAndDoesNotHoldUpTheStop() {
		TestServer server = start(10);
		try {
			for (String kind : List.of("callable", "deferred", "stream")) {
				for (int i = 1; i <= 3; i++) {
					Answer response = server.get("/ruled/soon/" + kind);
					assertThat(response.is(200).body()).isEqualTo(kind);
					assertThat(response.all("RateLimit")).hasSize(1);
					assertThat(numbers(server)).hasSize(i);
				}
				numbers(server).clear();
				server.forget();
			}
			assertThat(server.limiter().policy("soon").count(RateLimitOutcome.DELAYED)).isEqualTo(6);
		}
		finally {
			assertTimeoutPreemptively(GENEROUS, server::close);
		}
	}

	/*
	 * Tomcat looks for time-outs once a second.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "/ruled/slower", "/slower" })
	void aWaitThatIsLongerThanTheServersOwnTimeoutIsWaitedFor(String path) {
		try (TestServer server = start(10, "test.impatient=true", "ratelimit.policies.slower.window=2s")) {
			assertThat(server.get(path).body()).isEqualTo("soon");
			assertThat(server.get(path).body()).isEqualTo("soon");
			assertThat(server.limiter().policy("slower").count(RateLimitOutcome.DELAYED)).isEqualTo(1);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "/ruled/soon", "/soon", "/plain/soon" })
	void theApplicationsFiltersRunOnceAndSeeTheAnswerAndThePlaceIsFreeOnceTheWaitIsOver(String path) {
		long before = server.limiter().policy("soon").count(RateLimitOutcome.DELAYED);
		for (int i = 1; i <= 3; i++) {
			Answer response = server.get(path);
			assertThat(response.is(200, "First: yes", "Last: yes").body()).isEqualTo("soon");
			assertThat(numbers(server)).hasSize(i);
			TestServer.await(() -> room(server).waiting() == 0);
		}
		assertThat(server.limiter().policy("soon").count(RateLimitOutcome.DELAYED)).isEqualTo(before + 2);
	}

	@ParameterizedTest
	@CsvSource({ "/forward/plain/soon, soon", "/forward/ruled/soon, soon", "/plain/forward/plain/soon, soon",
			"/include/soon, before soon after" })
	void whatAnotherHandlerLeadsToWaitsAndBothRunOnce(String path, String body) {
		for (int i = 0; i < 3; i++) {
			Instant due = Instant.now().plusMillis(50 * i);
			assertThat(server.get(path).body()).isEqualTo(body);
			assertThat(Instant.now()).isAfterOrEqualTo(due);
			assertThat(numbers(server)).hasSize(2 * i + 2);
			TestServer.await(() -> room(server).waiting() == 0);
		}
	}

	@Test
	void atAServletWhoseWaitIsOverBeforeItIsCalledLeavesItsPlaceBeforeItReturns() {
		long before = server.limiter().policy("hour").count(RateLimitOutcome.DELAYED);
		server.get("/plain/hour").is(200);
		assertThat(server.get("/plain/hour/late").body()).isEqualTo("0");
		assertThat(server.limiter().policy("hour").count(RateLimitOutcome.DELAYED)).isEqualTo(before + 1);
	}

	@Test
	void atAServletWhoWouldWaitBesideAsManyAsMayIsRejected() {
		try (TestServer server = start(1)) {
			server.get("/plain/hour", "Who", "a").is(200);
			server.sendAsync("GET", "/plain/hour", "", "Who", "a");
			TestServer.await(() -> server.bean(DelayedDispatch.class).waiting() == 1);
			server.get("/plain/hour", "Who", "b").is(200);
			server.get("/plain/hour", "Who", "b").is(429, "Retry-After: 3600");
			assertThat(room(server).waiting()).isEqualTo(1);
		}
	}

	/*
	 * Tomcat notices with HTTP/2, where a client can abandon a single request.
	 */
	@Test
	void atAServletAClientThatIsReportedAsGoneLeavesItsPlace() {
		HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
		HttpRequest request = HttpRequest.newBuilder(server.uri("/plain/slower")).build();
		client.sendAsync(request, HttpResponse.BodyHandlers.ofString()).join();
		CompletableFuture<?> gone = client.sendAsync(request, HttpResponse.BodyHandlers.ofString());
		TestServer.await(() -> server.bean(DelayedDispatch.class).waiting() == 1);
		gone.cancel(true);
		TestServer.await(() -> room(server).waiting() == 0);
		assertThat(numbers(server)).hasSize(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/ruled/hour/filtered", "/ruled/hour/sent-away", "/hour/intercepted",
			"/ruled/hour/failing", "/hour/failing", "/ruled/hour/suspended" })
	void aRequestThatEndsBeforeItsWaitLeavesItsPlace(String path) {
		for (int i = 0; i < 3; i++) {
			assertThat(server.get(path, "Who", "a").status()).isNotEqualTo(429);
			TestServer.await(() -> room(server).waiting() == 0);
		}
	}

	@ParameterizedTest
	@CsvSource({ "/ruled/hour/sent-away, 403", "/ruled/hour/failing, 500", "/hour/failing, 500" })
	void anErrorPageDoesNotWait(String path, int status) {
		for (int i = 0; i < 3; i++) {
			assertThat(server.get(path, "Who", "a").is(status).body()).contains("\"status\":" + status);
			assertThat(server.bean(DelayedDispatch.class).waiting()).isZero();
		}
	}

	private static TestServer start(int maximum, String... more) {
		String[] properties = TestServer.with(PROPERTIES, "ratelimit.waiting.maximum=" + maximum);
		return TestServer.start(Controller.class, TestServer.with(properties, more));
	}

	private static WaitingRoom room(TestServer server) {
		return server.bean(WaitingRoom.class);
	}

	private static Queue<Integer> numbers(TestServer server) {
		return server.bean(Controller.class).numbers;
	}

	@RestController
	static class Controller implements WebMvcConfigurer {

		/* What was asked for, in the order in which it was served. */
		private final Queue<Integer> numbers = new ConcurrentLinkedQueue<>();

		/*
		 * Who waits for an hour uses any grace period up.
		 */
		@Bean(AbstractApplicationContext.LIFECYCLE_PROCESSOR_BEAN_NAME)
		static DefaultLifecycleProcessor withoutGrace() {
			DefaultLifecycleProcessor processor = new DefaultLifecycleProcessor();
			processor.setTimeoutPerShutdownPhase(FOR_EVER.toMillis());
			processor.setTimeoutForShutdownPhase(WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE, 1);
			return processor;
		}

		@Bean
		@ConditionalOnBooleanProperty("test.impatient")
		static WebServerFactoryCustomizer<TomcatWebServerFactory> impatience() {
			return (factory) -> factory.addConnectorCustomizers((connector) -> connector.setAsyncTimeout(20));
		}

		@Bean
		static FilterRegistrationBean<?> first() {
			return adding("First", Ordered.HIGHEST_PRECEDENCE);
		}

		@Bean
		static FilterRegistrationBean<?> last() {
			return adding("Last", Ordered.LOWEST_PRECEDENCE);
		}

		private static FilterRegistrationBean<?> adding(String header, int order) {
			FilterRegistrationBean<?> registration = new FilterRegistrationBean<>(new OncePerRequestFilter() {

				@Override
				protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response,
						FilterChain chain) throws ServletException, IOException {
					response.addHeader(header, "yes");
					chain.doFilter(request, response);
				}

			});
			registration.setName(header);
			registration.setOrder(order);
			return registration;
		}

		@Bean
		static FilterRegistrationBean<?> ending(ManualClock clock) {
			return Registrations.filter(Ordered.LOWEST_PRECEDENCE, (request, response, chain) -> {
				String path = request.getRequestURI();
				if (path.endsWith("/late")) {
					clock.advance(Duration.ofHours(2));
				}
				if (path.endsWith("/filtered")) {
					response.setStatus(403);
				}
				else if (path.endsWith("/sent-away")) {
					response.sendError(403);
				}
				else if (path.endsWith("/suspended") && !request.isAsyncStarted()) {
					request.startAsync().start(() -> request.getAsyncContext().complete());
				}
				else {
					chain.doFilter(request, response);
				}
			});
		}

		@Override
		public void addInterceptors(InterceptorRegistry registry) {
			registry.addInterceptor(new HandlerInterceptor() {

				@Override
				public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
					if (request.getRequestURI().endsWith("/failing")) {
						throw new IllegalStateException("failing");
					}
					response.setStatus(request.getRequestURI().endsWith("/intercepted") ? 403 : 200);
					return response.getStatus() == 200;
				}

			});
		}

		@Bean
		static ServletRegistrationBean<?> plain(ObjectProvider<Controller> controller,
				ObjectProvider<WaitingRoom> room) {
			return Registrations.servlet("/plain/*", (request, response) -> {
				controller.getObject().numbers.add(0);
				String path = request.getRequestURI();
				if (path.startsWith("/plain/forward/")) {
					request.getRequestDispatcher(path.substring("/plain/forward".length())).forward(request, response);
				}
				else if (path.endsWith("/late")) {
					response.getWriter().write(String.valueOf(room.getObject().waiting()));
				}
				else {
					response.getWriter().write("soon");
				}
			});
		}

		@GetMapping("/thread")
		boolean thread() throws ReflectiveOperationException {
			// the build's Java does not know virtual threads
			return (boolean) Thread.class.getMethod("isVirtual").invoke(Thread.currentThread());
		}

		@GetMapping({ "/ruled/hour", "/ruled/hour/failing", "/ruled/soon", "/ruled/slower" })
		String ruled(@RequestParam(defaultValue = "0") int n) {
			this.numbers.add(n);
			return "soon";
		}

		@RateLimited("hour")
		@GetMapping({ "/hour", "/hour/intercepted", "/hour/failing" })
		void hour() {
		}

		@RateLimited("soon")
		@GetMapping("/soon")
		String soon(@RequestParam(defaultValue = "0") int n) {
			return ruled(n);
		}

		@RateLimited("slower")
		@GetMapping("/slower")
		String slower() {
			return ruled(0);
		}

		@GetMapping("/ruled/soon/{kind}")
		Object answer(@PathVariable String kind) {
			this.numbers.add(1);
			return switch (kind) {
				case "callable" -> (Callable<String>) () -> kind;
				case "stream" -> (StreamingResponseBody) (out) -> out.write(kind.getBytes());
				default -> {
					DeferredResult<String> result = new DeferredResult<>();
					CompletableFuture.runAsync(() -> result.setResult(kind));
					yield result;
				}
			};
		}

		@GetMapping({ "/forward/plain/soon", "/forward/ruled/soon" })
		ModelAndView forward(HttpServletRequest request) {
			this.numbers.add(0);
			return new ModelAndView("forward:" + request.getRequestURI().substring("/forward".length()));
		}

		@GetMapping("/include/soon")
		void include(HttpServletRequest request, HttpServletResponse response) throws ServletException, IOException {
			this.numbers.add(0);
			response.getOutputStream().print("before ");
			request.getRequestDispatcher("/soon").include(request, response);
			response.getOutputStream().print(" after");
		}

	}

}
