package io.github.ratelimit.integration.graphqlwebsocket;

import java.net.http.HttpResponse;
import java.util.Map;

import com.jayway.jsonpath.DocumentContext;
import com.jayway.jsonpath.JsonPath;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Handlers that run on the server's thread, as they do unless something else is
 * configured.
 */
class GraphQlTests extends GraphQlContract {

	@Test
	void responseHasTheHeadersOfItsLimits() throws Exception {
		HttpResponse<String> response = client("192.0.2.20", "").send("{ greeting }", "application/json");
		assertThat(response.headers().firstValue("RateLimit-Policy")).hasValue("\"greeting\";q=2;w=60");
	}

	@Test
	void limitsFieldsOverWebSocket() throws Exception {
		try (GraphQlSession session = GraphQlSession.open(client("192.0.2.21", "ada"))) {
			assertThat(session.ask("{ address }")).contains("\"address\":\"address\"");
			DocumentContext rejected = JsonPath.parse(session.ask("{ address }"));
			assertThat(rejected.<Map<String, Object>>read("$.payload.errors[0].extensions"))
				.containsEntry("classification", "RATE_LIMITED");
		}
		try (GraphQlSession session = GraphQlSession.open(client("192.0.2.22", "ada"))) {
			assertThat(session.ask("{ address }")).contains("\"address\":\"address\"");
		}
	}

	@Test
	void limitsSubscriptionOverWebSocket() throws Exception {
		try (GraphQlSession session = GraphQlSession.open(client("192.0.2.23", ""))) {
			assertThat(session.ask("subscription { ticks }")).contains("\"ticks\":1");
			assertThat(session.ask("subscription { ticks }")).contains("RATE_LIMITED").doesNotContain("INTERNAL_ERROR");
		}
	}

	@Test
	void userOfHandshakeIsKnownOverWebSocket() throws Exception {
		try (GraphQlSession session = GraphQlSession.open(client("192.0.2.24", "eve"))) {
			assertThat(session.ask("{ owner }")).contains("\"owner\":\"owner\"");
		}
		try (GraphQlSession session = GraphQlSession.open(client("192.0.2.25", "eve"))) {
			assertThat(session.ask("{ owner }")).contains("RATE_LIMITED");
		}
	}

}
