package io.github.ratelimit.integration.graphqlwebsocket;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.github.ratelimit.RateLimitIntervention;
import io.github.ratelimit.RateLimitIntervention.Kind;
import io.github.ratelimit.RateLimitIntervention.Target;
import io.github.ratelimit.RateLimiterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.messaging.simp.stomp.StompHeaders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Handlers of messages over WebSocket: how their limits reach the client.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT, classes = Application.class)
class StompTests {

	private static final HttpClient HTTP = HttpClient.newHttpClient();

	@LocalServerPort
	int port;

	@Autowired
	RateLimiterRegistry rateLimiters;

	@Test
	void rejectionIsAnErrorFrameThatSaysWhichPolicyAndWhenToComeBack() throws Exception {
		try (StompClientSession session = open("198.51.100.1", "")) {
			assertThat(session.ask("/app/greet")).isEqualTo("hello you");
			session.send("/app/greet");
			StompHeaders error = session.error();
			assertThat(error.getFirst("message")).startsWith("Rate limit 'greet' exceeded");
			assertThat(error.getFirst("policy")).isEqualTo("greet");
			assertThat(Integer.parseInt(error.getFirst("retry-after"))).isBetween(1, 60);
			assertThat(error.getReceiptId()).isEqualTo("receipt of /app/greet");
			await().atMost(Duration.ofMinutes(1)).until(() -> !session.isOpen());
		}
	}

	@Test
	void rejectionOfHandlerThatAnswersLaterIsAnErrorFrame() throws Exception {
		try (StompClientSession session = open("198.51.100.2", "")) {
			assertThat(session.ask("/app/future")).isEqualTo("hello you");
			session.send("/app/future");
			assertThat(session.error().getFirst("policy")).isEqualTo("future");
		}
	}

	@Test
	void handlerOfAPolicyThatInformsChooses() throws Exception {
		try (StompClientSession session = open("198.51.100.40", "")) {
			assertThat(session.ask("/app/informed")).isEqualTo("best");
			assertThat(session.ask("/app/informed")).isEqualTo("cheap");
			assertThat(session.isOpen()).isTrue();
		}
	}

	@Test
	void limitsSubscription() throws Exception {
		try (StompClientSession session = open("198.51.100.3", "")) {
			session.subscribe("/app/news");
			assertThat(session.reply()).isEqualTo("no news");
			session.subscribe("/app/news");
			assertThat(session.error().getFirst("policy")).isEqualTo("news");
		}
	}

	@Test
	void applicationsOwnHandlerAnswersAndConnectionStays() throws Exception {
		try (StompClientSession session = open("198.51.100.4", "")) {
			assertThat(session.ask("/app/handled")).isEqualTo("hello you");
			assertThat(session.ask("/app/handled")).isEqualTo("slow down");
			assertThat(session.ask("/app/handled")).isEqualTo("slow down");
			assertThat(session.isOpen()).isTrue();
		}
	}

	@Test
	void clientsAreToldApartByTheAddressOfTheirHandshake() throws Exception {
		try (StompClientSession session = open("198.51.100.5", "ada")) {
			assertThat(session.ask("/app/greet")).isEqualTo("hello you");
		}
		try (StompClientSession session = open("198.51.100.6", "ada")) {
			assertThat(session.ask("/app/greet")).isEqualTo("hello you");
		}
		try (StompClientSession session = open("198.51.100.5", "bob")) {
			session.send("/app/greet");
			assertThat(session.error().getFirst("policy")).isEqualTo("greet");
		}
	}

	@Test
	void clientsAreToldApartByTheirNameWhereverTheyAre() throws Exception {
		try (StompClientSession session = open("198.51.100.7", "ada")) {
			assertThat(session.ask("/app/own")).isEqualTo("hello you");
		}
		try (StompClientSession session = open("198.51.100.7", "bob")) {
			assertThat(session.ask("/app/own")).isEqualTo("hello you");
		}
		try (StompClientSession session = open("198.51.100.8", "ada")) {
			session.send("/app/own");
			assertThat(session.error().getFirst("policy")).isEqualTo("own");
		}
	}

	@Test
	void messageIsChargedByWhatItsHandlerReturned() throws Exception {
		try (StompClientSession session = open("198.51.100.9", "")) {
			for (String word : new String[] { "right", "right", "right", "wrong" }) {
				session.send("/app/guess", word);
				assertThat(session.reply()).isEqualTo(word);
			}
			session.send("/app/guess", "right");
			assertThat(session.error().getFirst("policy")).isEqualTo("word");
		}
	}

	@Test
	void aHandshakeIsChargedByItsStatusAndTheConnectionStays() throws Exception {
		for (int i = 0; i < 3; i++) {
			try (StompClientSession session = open("198.51.100.10", "")) {
				await().atMost(Duration.ofMinutes(1))
					.until(() -> this.rateLimiters.peek("handshakes", "198.51.100.10").remaining() == 2);
				assertThat(session.ask("/app/handled")).isEqualTo((i == 0) ? "hello you" : "slow down");
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "/stomp", "/graphql" })
	void aDeniedAddressGetsNoHandshakeAndWhatIsDeniedLaterNoFurtherOne(String path) throws Exception {
		assertThat(handshake(path, "203.0.113.66")).isEqualTo(403);
		String address = "203.0.113.67";
		Target target = Target.ofAddress(Kind.DENY, address);
		try (StompClientSession session = open(address, "")) {
			this.rateLimiters.interventions().put(new RateLimitIntervention(target, null, null, null));
			assertThat(handshake(path, address)).isEqualTo(403);
			assertThat(session.ask("/app/informed")).isNotNull();
		}
		finally {
			this.rateLimiters.interventions().remove(target);
		}
		assertThat(handshake(path, address)).isEqualTo(101);
	}

	/* What fails is charged. */
	@Test
	void handshakesOfAnExemptAddressAreNotLimited() throws Exception {
		List<Integer> limited = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			limited.add(get("/stomp", "203.0.113.8"));
			assertThat(get("/stomp", "203.0.113.7")).isEqualTo(400);
		}
		assertThat(limited).containsExactly(400, 400, 429);
		assertThat(handshake("/stomp", "203.0.113.8")).isEqualTo(429);
		assertThat(handshake("/stomp", "203.0.113.7")).isEqualTo(101);
	}

	private int get(String path, String address) throws Exception {
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + this.port + path))
			.header("X-Forwarded-For", address)
			.build();
		return HTTP.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
	}

	private int handshake(String path, String address) throws Exception {
		try {
			HTTP.newWebSocketBuilder()
				.header("X-Forwarded-For", address)
				.buildAsync(URI.create("ws://127.0.0.1:" + this.port + path), new WebSocket.Listener() {
				})
				.get(1, TimeUnit.MINUTES)
				.abort();
			return 101;
		}
		catch (ExecutionException ex) {
			return ((WebSocketHandshakeException) ex.getCause()).getResponse().statusCode();
		}
	}

	private StompClientSession open(String address, String user) throws Exception {
		return StompClientSession.open(new Client(this.port, address, user)).subscribe("/user/queue/replies");
	}

}
