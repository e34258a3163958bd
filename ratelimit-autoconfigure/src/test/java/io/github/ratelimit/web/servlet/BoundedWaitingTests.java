package io.github.ratelimit.web.servlet;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.request.WaitingRoom;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.tomcat.TomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * No more requests wait than may, over all policies and keys. Those beyond are rejected,
 * and a place that is no longer needed is there for the next.
 */
class BoundedWaitingTests {

	private static final String[] PROPERTIES = { "server.shutdown=immediate",
			"hour: 1 per 1h; algorithm=leaky-bucket; burst=1000; key=header('Who')",
			"soon: 20 per 1s; algorithm=leaky-bucket; burst=20", "/ruled/hour/** -> hour", "/ruled/soon -> soon",
			"/plain/** -> hour" };

	/* For tests in which one request may wait. */
	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void startForOne() {
		server = start(1);
	}

	@BeforeEach
	void forget() {
		TestServer.await(() -> server.bean(WaitingRoom.class).waiting() == 0);
		server.forget();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/ruled/hour", "/hour", "/plain" })
	void whoWouldWaitBesideAsManyAsMayIsRejectedAndTakesNothing(String path) {
		try (TestServer server = start(2)) {
			WaitingRoom room = server.bean(WaitingRoom.class);
			server.get(path, "Who", "a").is(200);
			CompletableFuture<?> first = server.sendAsync("GET", path, "", "Who", "a");
			CompletableFuture<?> second = server.sendAsync("GET", path, "", "Who", "a");
			TestServer.await(() -> server.bean(DelayedDispatch.class).waiting() == 2);
			server.get(path, "Who", "b").is(200);
			for (int i = 0; i < 2; i++) {
				Answer rejected = server.get(path, "Who", "b");
				rejected.is(429, "Retry-After: 3600", "RateLimit: \"hour\";r=0;t=3600");
				assertThat(rejected.body()).contains("quota-exceeded", "\"violated-policies\":[\"hour\"]");
			}
			assertThat(room.waiting()).isEqualTo(2);
			assertThat(server.limiter().policy("hour").count(RateLimitOutcome.QUEUE_FULL)).isEqualTo(2);
			assertThat(server.limiter().policy("hour").count(RateLimitOutcome.REJECTED)).isZero();
			server.clock().advance(Duration.ofHours(1));
			server.get(path, "Who", "b").is(200);
			assertThat(first).isNotDone();
			assertThat(second).isNotDone();
		}
	}

	@Test
	void ofManyAtOnceAsManyWaitAsMay() {
		try (TestServer server = start(50)) {
			List<CompletableFuture<Answer>> sent = new ArrayList<>();
			for (int i = 0; i < 300; i++) {
				sent.add(server.sendAsync("GET", "/ruled/hour", "", "Who", "key" + i % 7));
			}
			TestServer.await(() -> sent.stream().filter(CompletableFuture::isDone).count() == 250);
			assertThat(server.bean(DelayedDispatch.class).waiting()).isEqualTo(50);
			assertThat(server.bean(WaitingRoom.class).waiting()).isEqualTo(50);
			assertThat(sent.stream().filter(CompletableFuture::isDone).map((answer) -> answer.join().status()))
				.containsOnly(200, 429);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "/ruled/soon", "/soon" })
	void aPlaceIsFreeOnceTheWaitIsOver(String path) {
		long before = server.limiter().policy("soon").count(RateLimitOutcome.DELAYED);
		for (int i = 0; i < 5; i++) {
			server.get(path).is(200);
			assertThat(server.bean(WaitingRoom.class).waiting()).isZero();
		}
		assertThat(server.limiter().policy("soon").count(RateLimitOutcome.DELAYED)).isGreaterThan(before);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/ruled/hour/filtered", "/ruled/hour/sent-away", "/hour/intercepted",
			"/ruled/hour/failing", "/hour/failing", "/ruled/hour/suspended" })
	void aRequestThatEndsBeforeItsWaitLeavesItsPlace(String path) {
		for (int i = 0; i < 3; i++) {
			assertThat(server.get(path, "Who", "a").status()).isNotEqualTo(429);
			TestServer.await(() -> server.bean(WaitingRoom.class).waiting() == 0);
		}
		assertThat(server.limiter().policy("hour").count(RateLimitOutcome.QUEUE_FULL)).isZero();
	}

	@ParameterizedTest
	@CsvSource({ "/ruled/hour/sent-away, 403", "/ruled/hour/failing, 500", "/hour/failing, 500" })
	void anErrorPageDoesNotWait(String path, int status) {
		for (int i = 0; i < 3; i++) {
			Answer response = server.get(path, "Who", "a");
			response.is(status);
			assertThat(response.body()).contains("\"status\":" + status);
			assertThat(server.bean(DelayedDispatch.class).waiting()).isZero();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "/ruled/soon", "/soon" })
	void nobodyWaitsIfNobodyMay(String path) {
		try (TestServer server = start(0)) {
			server.get(path).is(200);
			server.get(path).is(429);
			server.clock().advance(Duration.ofMillis(50));
			server.get(path).is(200);
		}
	}

	/*
	 * Tomcat looks for time-outs once a second.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "/ruled/slow", "/slow" })
	void aWaitThatIsLongerThanTheServersOwnTimeoutIsWaitedFor(String path) {
		try (TestServer server = start(10, "slow: 1 per 3s; algorithm=leaky-bucket; burst=1", "/ruled/slow -> slow")) {
			assertThat(server.get(path).body()).isEqualTo("slow");
			assertThat(server.get(path).body()).isEqualTo("slow");
			assertThat(server.limiter().policy("slow").count(RateLimitOutcome.DELAYED)).isEqualTo(1);
		}
	}

	private static TestServer start(int maximum, String... more) {
		String[] properties = TestServer.with(PROPERTIES, "ratelimit.waiting.maximum=" + maximum);
		return TestServer.start(Controller.class, TestServer.with(properties, more));
	}

	@RestController
	static class Controller implements WebMvcConfigurer {

		@Bean
		static WebServerFactoryCustomizer<TomcatWebServerFactory> impatience() {
			return (factory) -> factory.addConnectorCustomizers((connector) -> connector.setAsyncTimeout(20));
		}

		@Bean
		static FilterRegistrationBean<?> last() {
			return Registrations.filter(Ordered.LOWEST_PRECEDENCE, (request, response, chain) -> {
				String path = request.getRequestURI();
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

		@Bean
		static ServletRegistrationBean<?> plain() {
			return Registrations.servlet("/plain/*", (request, response) -> response.setStatus(200));
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

		@GetMapping({ "/ruled/hour", "/ruled/soon", "/ruled/hour/failing" })
		void ruled() {
		}

		@RateLimited("hour")
		@GetMapping({ "/hour", "/hour/intercepted", "/hour/failing" })
		public void hour() {
		}

		@RateLimited("soon")
		@GetMapping("/soon")
		public void soon() {
		}

		@GetMapping("/slow")
		@RateLimited(name = "slow", algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "3s", burst = 1)
		public String slow() {
			return "slow";
		}

		@GetMapping("/ruled/slow")
		String ruledSlow() {
			return "slow";
		}

	}

}
