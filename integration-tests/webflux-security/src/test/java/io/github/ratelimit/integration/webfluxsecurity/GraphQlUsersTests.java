package io.github.ratelimit.integration.webfluxsecurity;

import java.net.URI;
import java.time.Duration;

import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.testserver.SecuredUsers;
import io.github.ratelimit.testserver.TestServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.graphql.client.WebSocketGraphQlClient;
import org.springframework.graphql.data.method.annotation.QueryMapping;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.stereotype.Controller;
import org.springframework.web.reactive.socket.client.ReactorNettyWebSocketClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fields of GraphQL on WebFlux that are limited by user: Spring Security knows the user
 * in Reactor's context alone.
 */
class GraphQlUsersTests {

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.startSecured(Application.class, "spring.autoconfigure.exclude=",
				"spring.graphql.schema.locations=classpath:fields/", "spring.graphql.websocket.path=/graphql-ws",
				"ratelimit.client-address.trusted-proxies=127.0.0.1");
	}

	@BeforeEach
	void forget() {
		server.forget();
	}

	private static boolean isAllowed(String user, String client, String field) {
		String body = server
			.send("POST", "/graphql", "{\"query\":\"{ " + field + " }\"}", "Content-Type", "application/json", "Accept",
					"application/json", "X-Forwarded-For", client, "Authorization", TestServer.basic(user, "secret"))
			.is(200)
			.body();
		assertThat(body).containsAnyOf("RATE_LIMITED", "\"" + field + "\":\"");
		return !body.contains("RATE_LIMITED");
	}

	private static boolean isAllowedByMessage(String user, String client, String field) {
		WebSocketGraphQlClient messages = WebSocketGraphQlClient
			.builder(URI.create("ws://127.0.0.1:" + server.port() + "/graphql-ws"), new ReactorNettyWebSocketClient())
			.headers((headers) -> {
				headers.set("X-Forwarded-For", client);
				headers.setBasicAuth(user, "secret");
			})
			.build();
		try {
			return messages.document("{ " + field + " }")
				.execute()
				.map((answer) -> answer.getErrors().isEmpty())
				.block(Duration.ofMinutes(1));
		}
		finally {
			messages.stop().block(Duration.ofMinutes(1));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "ofUser", "ofUserLater" })
	void usersOfOneAddressHaveABudgetEachAndAUserOfTwoAddressesHasOne(String field) {
		assertThat(isAllowed("ann", "203.0.113.1", field)).isTrue();
		assertThat(isAllowed("bob", "203.0.113.1", field)).isTrue();
		assertThat(isAllowed("ann", "203.0.113.2", field)).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "ofUser", "ofUserLater" })
	void usersOfWebSocketSessionsHaveABudgetEachWhereverTheyAre(String field) {
		assertThat(isAllowedByMessage("ann", "203.0.113.1", field)).isTrue();
		assertThat(isAllowedByMessage("bob", "203.0.113.1", field)).isTrue();
		assertThat(isAllowedByMessage("ann", "203.0.113.2", field)).isFalse();
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Fields.class, SecuredUsers.class })
	static class Application {

		@Bean
		SecurityWebFilterChain security(ServerHttpSecurity http) {
			return http.authorizeExchange((exchanges) -> exchanges.anyExchange().authenticated())
				.httpBasic(Customizer.withDefaults())
				.csrf(ServerHttpSecurity.CsrfSpec::disable)
				.build();
		}

	}

	@Controller
	static class Fields {

		@QueryMapping
		@RateLimited(limit = 1, window = "1d", key = "principal.name")
		String ofUser() {
			return "plain";
		}

		@QueryMapping
		@RateLimited(limit = 1, window = "1d", key = "principal.name")
		Mono<String> ofUserLater() {
			return Mono.just("later");
		}

	}

}
