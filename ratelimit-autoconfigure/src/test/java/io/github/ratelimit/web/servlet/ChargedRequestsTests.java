package io.github.ratelimit.web.servlet;

import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimiter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
		server = TestServer.start(ChargedApplication.class,
				"status: 100 per 1d; key='all'; charge=status == 200 ? 0 : status / 100.0",
				"failed: 100 per 1d; key='all'; charge=exception != null", "narrow: 1 per 1d; key='all'",
				"route: 100 per 1d; key='all'",
				"ratelimit.policies.route.charge=path == '/route/{id}' and pathVariable('id') == '7' and "
						+ "header('X-Seven') == '7' and method == 'GET' and status == 500 ? 7 : 0",
				"/** -> status; cost=10", "/** -> failed; cost=10", "/narrow -> narrow; cost=2",
				"/route/{id} -> route; cost=10", "spring.mvc.async.request-timeout=300ms", "server.http2.enabled=true");
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
			/client-text,    200, 5, 10, 1
			/error-sent,     410, 5, 0,  2
			/callable,       200, 0, 0,  7
			/callable-fails, 409, 5, 10, 1
			/deferred,       200, 0, 0,  7
			/future,         200, 0, 0,  7
			/empty-later,    204, 3, 0,  10
			/future-fails,   409, 5, 10, 1
			/mono-empty,     200, 0, 0,  2
			/flux,           200, 0, 0,  7
			/sse-flux,       200, 0, 0,  7
			/emitter,        200, 0, 0,  10
			/streaming,      200, 0, 0,  10
			/timeout,        503, 10, 10, 10
			/long-poll,      200, 0, 0,  7
			/nowhere/at-all, 404, 5, 10, -
			/raw,            200, 0, 0,  -
			/raw-error,      502, 6, 0,  -
			/raw-throws,     500, 5, 10, -
			/outer-error,    507, 6, 0,  -
			/swallowed,      202, 3, 10, -
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
		assertThat(remaining("status")).isEqualTo(ALL);
		assertEachSettledOnce();
	}

	/*
	 * Whoever works for a request does not learn that its stream was reset.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "/pending", "/pending-task", "/pending-mono", "/pending-raw" })
	void whatIsNotDoneWhenItsStreamIsResetStaysReserved(String path) {
		Semaphore release = new Semaphore(0);
		ChargedApplication.release = release;
		HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
		assertThat(client.sendAsync(get("/value"), HttpResponse.BodyHandlers.ofString()).join().version())
			.isEqualTo(HttpClient.Version.HTTP_2);
		awaitSettled();
		reset();
		CompletableFuture<?> gone = client.sendAsync(get(path), HttpResponse.BodyHandlers.ofString());
		await("handler", ALL - 10);
		gone.cancel(true);
		awaitSettled();
		assertThat(remaining("status")).isEqualTo(ALL - 10);
		assertThat(remaining("failed")).isEqualTo(ALL - 10);
		assertThat(remaining("handler")).isEqualTo(ALL - 10);
		release.release();
	}

	@Test
	void aTaskThatIsStillRunningAfterItsTimeOutStaysReserved() {
		assertThat(server.get("/late-task").body()).isEqualTo("7");
		awaitSettled();
		assertThat(remaining("status")).isEqualTo(ALL - 10);
		ChargedApplication.lateTask.release();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/large", "/large-streamed", "/large-raw" })
	void anAnswerThatIsNotReadToItsEndDidNotFail(String path) throws Exception {
		try (Socket socket = server.begin("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n")) {
			socket.setSoLinger(true, 0);
			socket.getInputStream().readNBytes(15_000_000);
		}
		awaitSettled();
		assertThat(remaining("handler")).isNotEqualTo(ALL - 1);
		assertThat(remaining("failed")).isEqualTo(ALL);
	}

	private static HttpRequest get(String path) {
		return HttpRequest.newBuilder(server.uri(path)).build();
	}

	@Test
	void sixtyFourAtOnceAreTenAtMostUntilOneIsOver() throws Exception {
		Semaphore release = new Semaphore(0);
		ChargedApplication.release = release;
		List<CompletableFuture<Answer>> all = Stream.generate(() -> server.sendAsync("GET", "/together", ""))
			.limit(64)
			.toList();
		TestServer.await(() -> all.stream().filter(CompletableFuture::isDone).count() == 54);
		release.release();
		List<Integer> statuses = new ArrayList<>();
		for (CompletableFuture<Answer> answer : all) {
			statuses.add(answer.get(60, TimeUnit.SECONDS).status());
		}
		assertThat(statuses).filteredOn((status) -> status == 200).hasSize(10);
		assertThat(statuses).filteredOn((status) -> status == 429).hasSize(54);
		await("status", ALL);
	}

	@ParameterizedTest
	@ValueSource(strings = { "60s", "1ms" })
	void aRequestInFlightIsSettledOnceWithinTheGracePeriodOrAfter(String grace) throws Exception {
		Semaphore release = new Semaphore(0);
		ChargedApplication.release = release;
		TestServer server = TestServer.start(ChargedApplication.class,
				"fast: 5 per 1h; key='all'; charge=status == 200 ? 0 : 1", "/together -> fast; cost=3",
				"spring.lifecycle.timeout-per-shutdown-phase=" + grace);
		RateLimiter policy = server.limiter().policy("fast");
		CompletableFuture<Answer> request = server.sendAsync("GET", "/together", "");
		TestServer.await(() -> server.limiter().peek("handler", "all").remaining() == ALL - 10);
		CompletableFuture<Void> stopped = CompletableFuture.runAsync(server::close);
		if (grace.equals("1ms")) {
			TestServer.await(() -> !server.bean(DelayedDispatch.class).isRunning());
		}
		assertThat(TestServer.settled(policy)).isZero();
		release.release();
		TestServer.await(() -> TestServer.settled(policy) == 1);
		assertThat(policy.peek("all").remaining()).isEqualTo(5);
		request.handle((response, failure) -> response).get(60, TimeUnit.SECONDS);
		stopped.get(60, TimeUnit.SECONDS);
		assertThat(TestServer.settled(policy)).isEqualTo(1);
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

}
