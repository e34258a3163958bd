package io.github.ratelimit.integration.gateway;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.integration.fixtures.Client;
import io.github.ratelimit.integration.fixtures.RoutedRequests;
import io.github.ratelimit.integration.fixtures.Target;
import io.github.ratelimit.policy.AppliedLocation;
import io.github.ratelimit.policy.StoreRateLimiter;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Limits on the routes of a gateway: by a rule, by our filter and by Gateway's own.
 */
class GatewayTests extends RoutedRequests {

	private static ConfigurableApplicationContext gateway;

	@BeforeAll
	static void start() {
		gateway = Gateway.start(target, Gateway.class);
		client = new Client(Gateway.port(gateway));
	}

	@AfterAll
	static void stop() {
		gateway.close();
	}

	static List<String> limited() {
		return List.of("ruled", "filtered", "keyed", "resolved", "costly", "requested", "throwing");
	}

	static List<String> retried() {
		return List.of("ruled-retried", "filtered-retried", "requested-retried");
	}

	static List<String> login() {
		return List.of("login", "login-filtered", "login-retried", "login-cached", "login-logged", "login-modified");
	}

	@Override
	protected List<String> guessing() {
		return List.of("guesses", "guesses-filtered", "guesses-of-forms", "guesses-logged", "guesses-modified");
	}

	@ParameterizedTest
	@ValueSource(strings = { "application/json", "Application/JSON;charset=bogus", "text/json" })
	void nameInTheQueryBesideWhatIsNoFormIsNoBudgetWhereTheKeySaysSo(String type) {
		for (int i = 0; i < 10; i++) {
			client.send("POST", "/guesses-of-forms/json?username=random" + i,
					"{\"username\":\"ada\"}".getBytes(StandardCharsets.UTF_8), "Content-Type", type, Target.CALLER,
					type);
		}
		assertThat(target.requests(type)).isEqualTo(5);
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void keyThatItsResolverDoesNotFindIsCountedAndReported(CapturedOutput output) {
		for (int i = 0; i < 100; i++) {
			client.get("/unresolved", "Accept-Language", "en");
		}
		StoreRateLimiter limiter = StoreRateLimiter.of(gateway.getBean(RateLimiterRegistry.class).policy("unresolved"));
		assertThat(limiter.failures(RateLimitExpression.KEY)).isEqualTo(100);
		assertThat(output)
			.containsOnlyOnce("The key of filter RateLimit of the route unresolved (policy 'unresolved') failed: "
					+ "NullPointerException at io.github.ratelimit.integration.gateway.Gateway")
			.containsOnlyOnce("The key of filter RateLimit of the route unresolved (policy 'unresolved') was empty");
		assertThat(limiter.locations()).extracting(AppliedLocation::key).containsExactly("a KeyResolver of Gateway");
	}

	@Test
	void rejectionIsNoFailureOfTheRoute() {
		int failures = Gateway.FAILURES.get();
		for (String route : List.of("filtered", "requested", "throwing")) {
			IntStream.range(0, 3).forEach((i) -> get(route, "of failures"));
			assertThat(get(route, "of failures").statusCode()).isEqualTo(429);
		}
		assertThat(Gateway.FAILURES).hasValue(failures);
	}

	@Test
	void fieldsThatAreNoListsAreOurs() {
		assertThat(get("filtered", "of fields").headers().allValues("X-RateLimit-Remaining")).containsExactly("1");
	}

	@Test
	void formThatIsRetriedArrivesAsItWasSent() {
		String form = "a=%20b&username=retried";
		assertThat(client.post("/login-retried/form", form, Target.CALLER, "form", Target.FAILURES, "1").body())
			.isEqualTo(form);
		assertThat(target.requests("form")).isEqualTo(2);
	}

	@ParameterizedTest
	@ValueSource(strings = { "login", "login-filtered", "login-retried", "login-logged" })
	void formThatIsTooLargeIsRefusedWhoeverHasReadIt(String route) {
		String form = "username=ada&pad=" + "x".repeat(300_000);
		assertThat(client.post("/" + route + "/large", form, Target.CALLER, route + " large").statusCode())
			.isEqualTo(413);
		assertThat(target.requests(route + " large")).isZero();
	}

	@ParameterizedTest
	@CsvSource({ "/pattern/1 /pattern/2 /pattern/3, 200 200 429",
			"/variable/1 /variable/1 /variable/1 /variable/2, 200 200 429 200",
			"/variable-below/1/x /variable-below/1/x /variable-below/r/../1/x, 200 200 429",
			"/variable-below/r/%2e%2e/2/x /variable-below/./2/x /variable-below/s/..;x/2/x, 200 200 429",
			"/variable-below/3/x /variable-below/3/../t/x /variable-below/3/x, 200 200 429",
			"/variable-below/%34/x /variable-below/4/x /variable-below/4/x, 200 200 429",
			"/variable-below/u/../../variable-elsewhere/5/x /variable-elsewhere/5/x /variable-below/5/x, 200 200 429",
			"/variable-of-none/1 /variable-of-none/2 /variable-of-none/3, 200 200 429",
			"/pathless/1?pathless /pathless/2?pathless /anything?pathless, 200 200 429",
			"/resolved/1 /resolved/2 /resolved/3, 200 200 429" })
	void keyIsOfTheRouteOrElseOfTheClient(String paths, String statuses) {
		assertThat(Stream.of(paths.split(" ")).map((path) -> String.valueOf(client.get(path).statusCode())))
			.containsExactly(statuses.split(" "));
	}

	@Test
	void prefixThatAClientWritesChoosesNoBudget() {
		assertThat(Stream.of("u1", "u2", "u3")
			.map((id) -> client.get("/" + id + "/../../variable-elsewhere/9/x", "X-Forwarded-Prefix", "/variable-below")
				.statusCode()))
			.containsExactly(200, 200, 429);
	}

	@Test
	void hostHasNoBudgetForEachOfItsSpellings() {
		assertThat(Stream.of("ada", "Ada", "ADA", "bob").map((tenant) -> getOfHost(tenant, "/of-host")))
			.containsExactly(200, 200, 429, 200);
	}

	@Test
	void hostHasNoBudgetForEachSpellingOfAPath() {
		assertThat(Stream.of("/of-host/", "/%6ff-host", "/", "/a//b").map((path) -> getOfHost("eve", path)))
			.containsExactly(200, 200, 429, 429);
	}

	@Test
	void callerHasNoBudgetForEachSpellingOfAPath() {
		assertThat(Stream.of("/?keyed", "/orders/?keyed", "/o%72ders?keyed", "/a//b?keyed")
			.map((path) -> client.get(path, Target.CALLER, "by query").statusCode()))
			.containsExactly(200, 200, 429, 429);
	}

	/* The client of other requests writes the host itself. */
	private static int getOfHost(String tenant, String path) {
		String request = "GET " + path + " HTTP/1.1\r\nHost: " + tenant + ".example.org\r\nConnection: close\r\n\r\n";
		try (Socket socket = new Socket("127.0.0.1", Gateway.port(gateway))) {
			socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
			String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
			return Integer.parseInt(answer.split(" ")[1]);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Test
	void requestIsChargedByTheStatusOfTheTarget() {
		RateLimiterRegistry policies = gateway.getBean(RateLimiterRegistry.class);
		for (int i = 0; i < 2; i++) {
			assertThat(client.get("charged", "charged", 2).statusCode()).isEqualTo(503);
			await().atMost(Duration.ofMinutes(1)).until(() -> policies.peek("charged", "charged").remaining() == 1);
		}
		assertThat(client.get("charged", "charged", 2).statusCode()).isEqualTo(200);
		assertThat(client.get("charged", "charged", 2).statusCode()).isEqualTo(429);
	}

	@Test
	void handshakeIsChargedWhatItReservesBecauseNobodySeesHowTheTargetAnswers() {
		URI uri = URI.create("ws://127.0.0.1:" + Gateway.port(gateway) + "/handshakes/socket");
		for (int i = 0; i < 8; i++) {
			HttpClient.newHttpClient()
				.newWebSocketBuilder()
				.header(Target.CALLER, "handshakes")
				.buildAsync(uri, new WebSocket.Listener() {
				})
				.handle((socket, failure) -> socket)
				.join();
			int most = Math.min(i + 1, 3);
			await().atMost(Duration.ofMinutes(1)).until(() -> target.requests("handshakes") == most);
		}
	}

	@Test
	void requestsWaitWithoutAThread() {
		long start = System.nanoTime();
		List<Integer> statuses = IntStream.range(0, 4)
			.parallel()
			.mapToObj((i) -> get("waiting", "waiting").statusCode())
			.toList();
		assertThat(statuses).containsOnly(200);
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(550));
	}

}
