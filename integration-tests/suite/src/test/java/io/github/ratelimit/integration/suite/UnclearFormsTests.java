package io.github.ratelimit.integration.suite;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.Objects;
import java.util.function.IntConsumer;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.testserver.Handlers;
import io.github.ratelimit.testserver.TestServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who varies a name in the query, beside a body that some take for a form and others do
 * not, has one budget.
 */
class UnclearFormsTests {

	/* Tomcat ends connections that send small frames. */
	private static final String FORM = "username=ann&filler=" + "x".repeat(2000);

	private static final String LOGIN = "login: 5 per 15m; key=parameter('username') ?: 'no name'";

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.start(Handlers.class, LOGIN, "/ruled -> login", "server.http2.enabled=true");
	}

	@BeforeEach
	void forget() {
		server.forget();
	}

	@ParameterizedTest
	@CsvSource(nullValues = "-", textBlock = """
			POST, -
			PUT,  -
			POST, multipart/mixed
			GET,  application/x-www-form-urlencoded
			""")
	void aStreamOfHttp2NeedsNoFieldThatTellsOfItsBody(String method, String type) {
		assertHasOneBudget((i) -> {
			HttpClient client = connect();
			HttpRequest.Builder request = request("/ruled?username=" + i).method(method,
					BodyPublishers.fromPublisher(BodyPublishers.ofString(FORM)));
			if (type != null) {
				request.header("Content-Type", type);
			}
			sendWhole(client, request);
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "name=\"username\"; filename=\"x\"\r\n", "name=\"username\"; filename*=utf-8''x\r\n",
			"name=\"UserName\"; filename=\"x\"\r\n",
			"name=\"username\"\r\nContent-Type: text/plain;charset=iso-2022-jp\r\n" })
	void aPartMayBeTakenForAFileOrReadInAnotherCharacterSet(String part) {
		String body = "--x\r\nContent-Disposition: form-data; " + part + "\r\nann\r\n--x--\r\n";
		assertHasOneBudget((i) -> server.send("POST", "/ruled?username=" + i, body, "Content-Type",
				"multipart/form-data;boundary=x"));
	}

	@ParameterizedTest
	@CsvSource({ "PUT, true", "PATCH, true", "DELETE, true", "POST, false", "PUT, false", "PATCH, false",
			"DELETE, false" })
	void aFormIsTheSameBudgetWhetherSpringsFilterReadsItOrNot(String method, boolean read) {
		try (TestServer server = TestServer.start(Handlers.class, LOGIN, "/ruled -> login",
				"spring.mvc.formcontent.filter.enabled=" + read)) {
			assertHasOneBudget(server, (i) -> server.send(method, "/ruled?username=" + i, FORM, "Content-Type",
					"application/x-www-form-urlencoded"));
		}
	}

	private static void assertHasOneBudget(IntConsumer attempt) {
		assertHasOneBudget(server, attempt);
	}

	private static void assertHasOneBudget(TestServer server, IntConsumer attempt) {
		RateLimiter login = Objects.requireNonNull(server.bean(RateLimiterRegistry.class).find("login"));
		long before = login.count(RateLimitOutcome.REJECTED);
		for (int i = 1; i <= 5; i++) {
			attempt.accept(i);
		}
		assertThat(login.count(RateLimitOutcome.REJECTED)).isEqualTo(before);

		attempt.accept(6);
		assertThat(login.count(RateLimitOutcome.REJECTED)).isEqualTo(before + 1);
	}

	/* Each attempt has a connection of its own, which Tomcat does not end after a few. */
	private static HttpClient connect() {
		HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
		assertThat(send(client, request("/elsewhere").GET()).version()).isEqualTo(HttpClient.Version.HTTP_2);
		return client;
	}

	private static HttpRequest.Builder request(String path) {
		return HttpRequest.newBuilder(URI.create("http://localhost:" + server.port() + path));
	}

	/*
	 * A server may reset the stream of a body that nobody has read, though it has
	 * answered.
	 */
	private static void sendWhole(HttpClient client, HttpRequest.Builder request) {
		client.sendAsync(request.build(), HttpResponse.BodyHandlers.discarding()).exceptionally((ex) -> null).join();
	}

	private static HttpResponse<?> send(HttpClient client, HttpRequest.Builder request) {
		return client.sendAsync(request.build(), HttpResponse.BodyHandlers.discarding()).join();
	}

}
