package io.github.ratelimit.integration.suite;

import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.TestServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests that are charged by their outcome, on a real server: each is settled once,
 * whichever way it ends. Every request reserves 10 of 100 permits, of the rule as of the
 * handler; the rule is charged the status' hundreds, and nothing if it is 200.
 */
class ChargedRequestsTests {

	private static final long ALL = 100;

	/* What was settled before a test, by policy. */
	private static final Map<String, Long> SETTLED = new HashMap<>();

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.start(Application.class,
				"status: 100 per 1d; key='all'; charge=status == 200 ? 0 : status / 100.0",
				"failed: 100 per 1d; key='all'; charge=exception != null", "narrow: 1 per 1d; key='all'",
				"route: 100 per 1d; key='all'",
				"ratelimit.policies.route.charge=path == '/route/{id}' and pathVariable('id') == '7' and "
						+ "header('X-Seven') == '7' and method == 'GET' and status == 500 ? 7 : 0",
				"/** -> status; cost=10", "/** -> failed; cost=10", "/narrow -> narrow; cost=method != null ? 2 : 1",
				"/route/{id} -> route; cost=10", "server.http2.enabled=true");
	}

	@BeforeEach
	void reset() {
		// what was answered may be settled a moment later
		List.of("status", "failed", "handler").forEach(server::awaitSettled);
		for (RateLimiter policy : server.limiter().policies()) {
			policy.reset("all");
			SETTLED.put(policy.policy().name(), TestServer.settled(policy));
		}
	}

	@ParameterizedTest
	@CsvSource(nullValues = "-", textBlock = """
			/value,          200, 0, 0,  7
			/entity,         200, 0, 0,  3
			/created,        201, 3, 0,  10
			/handled,        409, 5, 10, 1
			/status,         404, 5, 10, 1
			/throw,          500, 5, 10, 1
			/future,         200, 0, 0,  7
			/empty-later,    204, 3, 0,  10
			/future-fails,   409, 5, 10, 1
			/mono-empty,     200, 0, 0,  2
			/flux,           200, 0, 0,  7
			/sse-flux,       200, 0, 0,  7
			/nowhere/at-all, 404, 5, 10, -
			""")
	void aRequestIsSettledOnceHoweverItEnds(String path, int status, long charged, long failed,
			@Nullable Long handler) {
		Answer response = server.get(path).is(status);
		assertThat(response.headers().firstValue("RateLimit"))
			.hasValueSatisfying((field) -> assertThat(field).contains("\"status\";r=90").contains("\"failed\";r=90"));
		await("status", ALL - charged);
		await("failed", ALL - failed);
		if (handler != null) {
			await("handler", ALL - handler);
		}
		assertEachSettledOnce();
	}

	@ParameterizedTest
	@CsvSource({ "HEAD, /created, 201", "GET, /tagged, 304" })
	void aResponseWithoutABodyIsSettledOnce(String method, String path, int status) {
		server.send(method, path, "", "If-None-Match", "\"tag\"").is(status);
		await("status", ALL - ((status == 201) ? 3 : 4));
		assertEachSettledOnce();
	}

	@Test
	void aBodyThatCannotBeReadIsSettledOnce() {
		server.send("POST", "/posted", "{", "Content-Type", "application/json").is(400);
		await("status", ALL - 4);
		await("failed", ALL - 10);
		server.send("POST", "/posted", "{\"weight\": 3}", "Content-Type", "application/json").is(200);
		await("arguments", ALL - 3);
	}

	@Test
	void whatALaterPolicyRejectsIsRefundedAndNotSettled() {
		server.get("/narrow").is(429);
		await("status", ALL);
		await("failed", ALL);
		assertThat(settled("status")).isZero();
	}

	@Test
	void aChargeSeesTheRequestAsItCameEvenAfterAnErrorPage() {
		server.get("/route/7", "X-Seven", "7").is(500);
		await("route", ALL - 7);
	}

	@Test
	void callsOfOtherBeansAreSettledWhenTheyAreOver() {
		assertThat(server.get("/calls").body()).isEqualTo("99 98 98");
		await("bean", ALL - 2);
	}

	@Test
	void aClientThatGoesAwayIsSettledOnce() throws Exception {
		try (Socket socket = server.begin("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n")) {
			socket.setSoLinger(true, 0);
			assertThat(socket.getInputStream().read()).isNotNegative();
		}
		TestServer.await(() -> settled("status") == 1);
		assertThat(remaining("status")).isEqualTo(ALL - 10);
		assertEachSettledOnce();
	}

	/*
	 * Whoever works for a request does not learn that its stream was reset.
	 */
	@Test
	void whatIsNotDoneWhenItsStreamIsResetStaysReserved() {
		HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
		assertThat(client.sendAsync(get("/value"), HttpResponse.BodyHandlers.ofString()).join().version())
			.isEqualTo(HttpClient.Version.HTTP_2);
		awaitSettled();
		reset();
		CompletableFuture<?> gone = client.sendAsync(get("/pending"), HttpResponse.BodyHandlers.ofString());
		await("handler", ALL - 10);
		TestServer.awaitSuspended();
		gone.cancel(true);
		awaitSettled();
		assertThat(remaining("status")).isEqualTo(ALL - 10);
		assertThat(remaining("failed")).isEqualTo(ALL - 10);
		assertThat(remaining("handler")).isEqualTo(ALL - 10);
	}

	@Test
	void anAnswerThatIsNotReadToItsEndDidNotFailButIsNotOver() throws Exception {
		try (Socket socket = server.begin("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")) {
			socket.setSoLinger(true, 0);
			socket.getInputStream().readNBytes(1_000_000);
		}
		awaitSettled();
		assertThat(remaining("handler")).isEqualTo(ALL - 10);
		assertThat(remaining("failed")).isEqualTo(Difference.A_WHOLE_ANSWER_IS_OVER_AT_ONCE.here() ? ALL : ALL - 10);
	}

	@Test
	void sixtyFourAtOnceAreTenAtMostUntilOneIsOver() throws Exception {
		CompletableFuture<Long> release = Application.next();
		List<CompletableFuture<Answer>> all = Stream.generate(() -> server.sendAsync("GET", "/together", ""))
			.limit(64)
			.toList();
		TestServer.await(() -> all.stream().filter(CompletableFuture::isDone).count() == 54);
		release.complete(0L);
		List<Integer> statuses = new ArrayList<>();
		for (CompletableFuture<Answer> answer : all) {
			statuses.add(answer.get(60, TimeUnit.SECONDS).status());
		}
		assertThat(statuses).filteredOn((status) -> status == 200).hasSize(10);
		assertThat(statuses).filteredOn((status) -> status == 429).hasSize(54);
		await("status", ALL);
	}

	@Test
	void aRequestInFlightIsSettledOnceWithinTheGracePeriod() throws Exception {
		CompletableFuture<Long> release = Application.next();
		TestServer server = TestServer.start(Application.class,
				"fast: 5 per 1h; key='all'; charge=status == 200 ? 0 : 1", "/together -> fast; cost=3",
				TestServer.GRACEFULLY, "spring.lifecycle.timeout-per-shutdown-phase=60s");
		RateLimiter policy = server.limiter().policy("fast");
		CompletableFuture<Answer> request = server.sendAsync("GET", "/together", "");
		TestServer.await(() -> server.limiter().peek("handler", "all").remaining() == ALL - 10);
		CompletableFuture<Void> stopped = CompletableFuture.runAsync(server::close);
		assertThat(TestServer.settled(policy)).isZero();
		release.complete(0L);
		TestServer.await(() -> TestServer.settled(policy) == 1);
		assertThat(policy.peek("all").remaining()).isEqualTo(5);
		request.handle((response, failure) -> response).get(60, TimeUnit.SECONDS);
		stopped.get(60, TimeUnit.SECONDS);
		assertThat(TestServer.settled(policy)).isEqualTo(1);
	}

	private static HttpRequest get(String path) {
		return HttpRequest.newBuilder(server.uri(path)).build();
	}

	private static void await(String policy, long remaining) {
		TestServer.await(() -> remaining(policy) == remaining);
	}

	private static long remaining(String policy) {
		return server.limiter().policy(policy).peek("all").remaining();
	}

	private static long settled(String policy) {
		return TestServer.settled(server.limiter().policy(policy)) - SETTLED.get(policy);
	}

	private static void awaitSettled() {
		TestServer.await(() -> settled("status") == 1 && settled("failed") == 1 && settled("handler") == 1);
	}

	private static void assertEachSettledOnce() {
		List.of("status", "failed").forEach(server::awaitSettled);
		assertThat(settled("status")).isEqualTo(1);
		assertThat(settled("failed")).isEqualTo(1);
		assertThat(settled("handler")).isLessThanOrEqualTo(1);
		assertThat(server.limiter().policy("handler").failures(RateLimitExpression.CHARGE)).isZero();
	}

	/*
	 * Its requests end in each way that both stacks have, and its beans are charged too.
	 */
	@RestController
	@RateLimited(name = "handler", limit = 100, window = "1d", key = "'all'", cost = "10",
			charge = "exception != null ? 1 : result == null ? 2 : @charges.of(result)")
	@Import({ Posts.class, Calls.class, Beans.class })
	static class Application {

		private static final byte[] LARGE = new byte[20_000_000];

		private static volatile CompletableFuture<Long> release = new CompletableFuture<>();

		static CompletableFuture<Long> next() {
			release = new CompletableFuture<>();
			return release;
		}

		@GetMapping("/value")
		long value() {
			return 7;
		}

		@GetMapping("/entity")
		ResponseEntity<String> entity() {
			return ResponseEntity.ok("abc");
		}

		@GetMapping("/created")
		ResponseEntity<Void> created() {
			return ResponseEntity.status(HttpStatus.CREATED).build();
		}

		@GetMapping("/tagged")
		ResponseEntity<String> tagged() {
			return ResponseEntity.ok().eTag("tag").body("abc");
		}

		@GetMapping("/handled")
		String handled() {
			throw new IllegalStateException("as asked");
		}

		@GetMapping("/status")
		String status() {
			throw new ResponseStatusException(HttpStatus.NOT_FOUND);
		}

		@GetMapping({ "/throw", "/route/{id}" })
		String fail() {
			throw new UnsupportedOperationException("as asked");
		}

		@GetMapping("/future")
		CompletableFuture<Long> future() {
			return CompletableFuture.supplyAsync(() -> 7L);
		}

		@GetMapping("/empty-later")
		CompletableFuture<ResponseEntity<Void>> emptyLater() {
			return CompletableFuture.supplyAsync(() -> ResponseEntity.noContent().build());
		}

		@GetMapping("/future-fails")
		CompletableFuture<Long> futureFails() {
			return CompletableFuture.failedFuture(new IllegalStateException("as asked"));
		}

		@GetMapping("/together")
		CompletableFuture<Long> together() {
			return release;
		}

		@GetMapping("/mono-empty")
		Mono<Long> empty() {
			return Mono.empty();
		}

		@GetMapping("/pending")
		Mono<Long> pending() {
			return Mono.never();
		}

		@GetMapping("/flux")
		Flux<Long> flux() {
			return Flux.just(1L, 2L, 7L);
		}

		@GetMapping(path = "/sse-flux", produces = "text/event-stream")
		Flux<Long> sseFlux() {
			return flux();
		}

		@GetMapping(path = "/endless", produces = "text/event-stream")
		Flux<String> endless() {
			return Flux.interval(Duration.ofMillis(1)).onBackpressureDrop().map((number) -> "more");
		}

		@GetMapping("/large")
		byte[] large() {
			return LARGE;
		}

		@ExceptionHandler
		ResponseEntity<String> conflict(IllegalStateException ex) {
			return ResponseEntity.status(HttpStatus.CONFLICT).body("conflict");
		}

	}

	@RestController
	static class Posts {

		@PostMapping("/posted")
		@RateLimited(name = "arguments", limit = 100, window = "1d", key = "'all'", charge = "#body['weight']")
		Mono<String> posted(@RequestBody Map<String, Integer> body) {
			return Mono.just("posted");
		}

	}

	@RestController
	static class Calls {

		private final Beans beans;

		private final RateLimiterRegistry limiter;

		Calls(Beans beans, RateLimiterRegistry limiter) {
			this.beans = beans;
			this.limiter = limiter;
		}

		@GetMapping("/calls")
		String calls() {
			this.beans.call(1);
			long first = remaining();
			this.beans.call(1);
			long second = remaining();
			this.beans.call(0);
			return first + " " + second + " " + remaining();
		}

		private long remaining() {
			return this.limiter.policy("bean").peek("all").remaining();
		}

	}

	@Service("charges")
	static class Beans {

		@RateLimited(name = "bean", limit = 100, window = "1d", key = "'all'", charge = "result")
		public long call(long used) {
			return used;
		}

		public long of(Object result) {
			if (result instanceof ResponseEntity<?> entity) {
				return (entity.getBody() != null) ? entity.getBody().toString().length() : 10;
			}
			return (result instanceof Long number) ? number : 10;
		}

	}

}
