package io.github.ratelimit.web.servlet;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.annotation.RateLimited;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.context.support.DefaultLifecycleProcessor;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

/**
 * Requests that a leaky bucket delays hold no thread, keep their order, and are answered
 * afterwards as if nothing had been.
 */
class WaitingTests {

	private static final Duration GENEROUS = Duration.ofSeconds(60);

	private static final Duration FOR_EVER = Duration.ofHours(1);

	private static final String[] PROPERTIES = { "server.tomcat.threads.max=10", "server.tomcat.accept-count=1000",
			"hour: 1 per 1h; algorithm=leaky-bucket; burst=1000", "soon: 20 per 1s; algorithm=leaky-bucket; burst=20",
			"/ruled/hour -> hour", "/ruled/soon/** -> soon" };

	@ParameterizedTest
	@ValueSource(strings = { "/ruled/hour", "/hour" })
	void aThousandWaitingRequestsLeaveTenThreadsToTheOthersAndAreAnsweredWhenTheServerStops(String path) {
		List<CompletableFuture<Answer>> waiting = new ArrayList<>();
		TestServer server = TestServer.start(Controller.class, PROPERTIES);
		try {
			server.get(path).is(200);
			for (int i = 1; i <= 1000; i++) {
				waiting.add(server.sendAsync("GET", path, ""));
				if (i % 100 == 0) {
					// so that the system need not queue all connections at once
					awaitSuspended(server, i);
				}
			}
			assertTimeoutPreemptively(GENEROUS, () -> {
				for (int i = 0; i < 50; i++) {
					assertThat(server.get("/free").body()).isEqualTo("free");
				}
			});
			assertThat(waiting).noneMatch(CompletableFuture::isDone);
		}
		finally {
			assertTimeoutPreemptively(GENEROUS, server::close);
		}
		assertThat(waiting).allMatch((request) -> request.join().status() == 503);
	}

	@Test
	@EnabledForJreRange(min = JRE.JAVA_21)
	void requestsWaitOnVirtualThreadsToo() {
		String[] properties = with("spring.threads.virtual.enabled=true");
		try (TestServer server = TestServer.start(Controller.class, properties)) {
			assertThat(server.get("/thread").body()).isEqualTo("true");
			assertThat(server.get("/soon").body()).isEqualTo("soon");
			assertThat(server.get("/soon").body()).isEqualTo("soon");
			assertThat(server.limiter().policy("soon").count(RateLimitOutcome.DELAYED)).isEqualTo(1);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "/ruled/soon/number", "/number" })
	void theOrderIsKept(String path) {
		try (TestServer server = TestServer.start(Controller.class, with("server.tomcat.threads.max=1"))) {
			server.get(path + "?n=0").is(200);
			List<CompletableFuture<?>> waiting = new ArrayList<>();
			for (int i = 1; i <= 10; i++) {
				waiting.add(server.sendAsync("GET", path + "?n=" + i, ""));
				server.awaitDelayed("soon", i);
			}
			CompletableFuture.allOf(waiting.toArray(CompletableFuture[]::new)).join();
			assertThat(server.bean(Controller.class).numbers())
				.containsExactlyElementsOf(IntStream.rangeClosed(0, 10).boxed().toList());
		}
	}

	@ParameterizedTest
	@CsvSource({ "callable, later", "deferred, later", "future, later", "stream, streamed", "entity, entity" })
	void anAsynchronousHandlerAnswersAfterTheWaitAndDoesNotHoldUpTheStop(String kind, String body) {
		TestServer server = TestServer.start(Controller.class, PROPERTIES);
		try {
			for (int i = 1; i <= 3; i++) {
				Answer response = server.get("/ruled/soon/" + kind);
				response.is(200);
				assertThat(response.body()).isEqualTo(body);
				assertThat(response.all("RateLimit")).hasSize(1);
				assertThat(server.bean(Controller.class).numbers()).hasSize(i);
			}
			assertThat(server.limiter().policy("soon").count(RateLimitOutcome.DELAYED)).isEqualTo(2);
		}
		finally {
			assertTimeoutPreemptively(GENEROUS, server::close);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "/ruled/soon/body", "/body" })
	void aBodyCanBeReadAfterTheWait(String path) {
		String body = "0123456789".repeat(10_000);
		try (TestServer server = TestServer.start(Controller.class, PROPERTIES)) {
			for (int i = 0; i < 3; i++) {
				assertThat(server.send("POST", path, body, "Content-Type", "text/plain").body()).isEqualTo(body);
			}
			assertThat(server.limiter().policy("soon").count(RateLimitOutcome.DELAYED)).isEqualTo(2);
		}
	}

	/*
	 * Who was told to wait is a moment later suspended.
	 */
	private static void awaitSuspended(TestServer server, int count) {
		TestServer.await(() -> server.bean(DelayedDispatch.class).waiting() >= count);
	}

	private static String[] with(String property) {
		return TestServer.with(PROPERTIES, property);
	}

	@RestController
	static class Controller {

		private final ConcurrentLinkedQueue<Integer> numbers = new ConcurrentLinkedQueue<>();

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

		List<Integer> numbers() {
			return List.copyOf(this.numbers);
		}

		@GetMapping("/free")
		String free() {
			return "free";
		}

		@GetMapping("/thread")
		boolean thread() throws ReflectiveOperationException {
			// the build's Java does not know virtual threads
			return (boolean) Thread.class.getMethod("isVirtual").invoke(Thread.currentThread());
		}

		@GetMapping("/ruled/hour")
		void ruledHour() {
		}

		@RateLimited("hour")
		@GetMapping("/hour")
		public void hour() {
		}

		@RateLimited("soon")
		@GetMapping("/soon")
		public String soon() {
			return "soon";
		}

		@RateLimited("soon")
		@GetMapping("/number")
		public void number(int n) {
			this.numbers.add(n);
		}

		@GetMapping("/ruled/soon/number")
		void ruledNumber(int n) {
			this.numbers.add(n);
		}

		@GetMapping("/ruled/soon/{kind}")
		Object answer(@PathVariable String kind) {
			this.numbers.add(1);
			return switch (kind) {
				case "callable" -> (Callable<String>) () -> "later";
				case "future" -> CompletableFuture.supplyAsync(() -> "later");
				case "stream" -> (StreamingResponseBody) (out) -> out.write("streamed".getBytes());
				case "deferred" -> {
					DeferredResult<String> result = new DeferredResult<>();
					CompletableFuture.runAsync(() -> result.setResult("later"));
					yield result;
				}
				default -> ResponseEntity.ok(kind);
			};
		}

		@PostMapping("/ruled/soon/body")
		String ruledBody(@RequestBody String body) {
			return body;
		}

		@RateLimited("soon")
		@PostMapping("/body")
		public String body(@RequestBody String body) {
			return body;
		}

	}

}
