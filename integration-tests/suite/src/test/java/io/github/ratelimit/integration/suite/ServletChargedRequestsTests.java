package io.github.ratelimit.integration.suite;

import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.Stack;
import io.github.ratelimit.testserver.TestServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * Requests that end in the ways that only the servlet API has are charged by their
 * outcome, as in {@link ChargedRequestsTests}: each is settled once.
 */
class ServletChargedRequestsTests {

	private static final long ALL = 100;

	/* What was settled before a test, by policy. */
	private static final Map<String, Long> SETTLED = new HashMap<>();

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.start(ServletChargedApplication.class,
				"status: 100 per 1d; key='all'; charge=status == 200 ? 0 : status / 100.0",
				"failed: 100 per 1d; key='all'; charge=exception != null", "/** -> status; cost=10",
				"/** -> failed; cost=10", "spring.mvc.async.request-timeout=300ms", "server.http2.enabled=true");
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
			/client-text,    200, 5, 10, 1
			/error-sent,     410, 5, 0,  2
			/callable,       200, 0, 0,  7
			/callable-fails, 409, 5, 10, 1
			/deferred,       200, 0, 0,  7
			/emitter,        200, 0, 0,  10
			/streaming,      200, 0, 0,  10
			/timeout,        503, 10, 10, 10
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

	/*
	 * Whoever works for a request does not learn that its stream was reset.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "/pending", "/pending-task", "/pending-raw" })
	void whatIsNotDoneWhenItsStreamIsResetStaysReserved(String path) {
		Semaphore release = new Semaphore(0);
		ServletChargedApplication.release = release;
		HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
		assertThat(client.sendAsync(get("/deferred"), HttpResponse.BodyHandlers.ofString()).join().version())
			.isEqualTo(HttpClient.Version.HTTP_2);
		awaitSettled();
		reset();
		CompletableFuture<?> gone = client.sendAsync(get(path), HttpResponse.BodyHandlers.ofString());
		await("handler", ALL - 10);
		TestServer.awaitSuspended();
		gone.cancel(true);
		awaitSettled();
		assertThat(remaining("status")).isEqualTo(ALL - 10);
		assertThat(remaining("failed")).isEqualTo(ALL - 10);
		assertThat(remaining("handler")).isEqualTo(ALL - 10);
		release.release();
	}

	@Test
	void anAnswerOfTheApplicationsToATimeOutIsSettled() {
		assertThat(server.get("/long-poll").is(200).body()).isEqualTo("7");
		await("status", Difference.A_TIMEOUT_IS_TOLD_BEFORE_ITS_ANSWER.here() ? ALL - 10 : ALL);
		await("handler", ALL - (Difference.A_TIMEOUT_IS_TOLD_BEFORE_ITS_ANSWER.here() ? 10 : 7));
		assertEachSettledOnce();
	}

	/*
	 * Jetty does not let a time-out be changed once a request has been suspended.
	 */
	@Test
	void aTaskThatIsStillRunningAfterItsTimeOutStaysReserved() {
		assumeThat(Stack.CURRENT).isEqualTo(Stack.TOMCAT);
		assertThat(server.get("/late-task").body()).isEqualTo("7");
		awaitSettled();
		assertThat(remaining("status")).isEqualTo(ALL - 10);
		ServletChargedApplication.lateTask.release();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/large-streamed", "/large-raw" })
	void anAnswerThatIsNotReadToItsEndDidNotFailButIsNotOver(String path) throws Exception {
		try (Socket socket = server.begin("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n")) {
			socket.setSoLinger(true, 0);
			socket.getInputStream().readNBytes(1_000_000);
		}
		awaitSettled();
		assertThat(remaining("handler")).isEqualTo(ALL - 10);
		assertThat(remaining("failed")).isEqualTo(ALL - 10);
	}

	/*
	 * Of two that fail on one connection, the second of which comes before the first has
	 * been answered, Tomcat 11.0.24 does not report that the second is complete.
	 */
	@Test
	void eachOfTwoThatFailLateOnOneConnectionIsSettled() {
		String refused = "GET /callable-refused HTTP/1.1\r\nHost: localhost\r\n\r\n";
		String failing = "GET /callable-throws HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
		assertThat(server.exchange(refused + failing)).contains("HTTP/1.1 410").contains("HTTP/1.1 500");
		List.of("status", "failed", "handler").forEach(server::awaitSettled);
		assertThat(settled("status")).isEqualTo(2);
		assertThat(remaining("status")).isEqualTo(ALL - 5 - 5);
		assertThat(remaining("failed")).isEqualTo(ALL - 10 - 10);
	}

	private static HttpRequest get(String path) {
		return HttpRequest.newBuilder(server.uri(path)).build();
	}

	@Test
	void aRequestInFlightIsSettledOnceAfterTheGracePeriod() throws Exception {
		Semaphore release = new Semaphore(0);
		ServletChargedApplication.release = release;
		TestServer server = TestServer.start(ServletChargedApplication.class,
				"fast: 5 per 1h; key='all'; charge=status == 200 ? 0 : 1", "/together -> fast; cost=3",
				TestServer.GRACEFULLY, "spring.lifecycle.timeout-per-shutdown-phase=1ms");
		RateLimiter policy = server.limiter().policy("fast");
		CompletableFuture<Answer> request = server.sendAsync("GET", "/together", "");
		TestServer.await(() -> server.limiter().peek("handler", "all").remaining() == ALL - 10);
		CompletableFuture<Void> stopped = CompletableFuture.runAsync(server::close);
		TestServer.await(() -> !accepts(server));
		assertThat(TestServer.settled(policy)).isZero();
		release.release();
		TestServer.await(() -> TestServer.settled(policy) == 1);
		assertThat(policy.peek("all").remaining()).isEqualTo(5);
		request.handle((response, failure) -> response).get(60, TimeUnit.SECONDS);
		stopped.get(60, TimeUnit.SECONDS);
		assertThat(TestServer.settled(policy)).isEqualTo(1);
	}

	private static boolean accepts(TestServer server) {
		try {
			server.begin("").close();
			return true;
		}
		catch (IOException ex) {
			return false;
		}
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
