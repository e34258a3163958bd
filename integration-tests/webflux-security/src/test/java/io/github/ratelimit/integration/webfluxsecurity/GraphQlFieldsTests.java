package io.github.ratelimit.integration.webfluxsecurity;

import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.testserver.TestServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.graphql.data.method.annotation.QueryMapping;
import org.springframework.stereotype.Controller;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fields of GraphQL on WebFlux: each call counts, unless the address of its request is
 * exempt.
 */
class GraphQlFieldsTests {

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.startWithNeighbours(Application.class, "spring.graphql.schema.locations=classpath:fields/",
				"ratelimit.client-address.trusted-proxies=127.0.0.1", "ratelimit.exempt.addresses=203.0.113.7");
	}

	private static String ask(String client, String document) {
		return server
			.send("POST", "/graphql", "{\"query\":\"" + document + "\"}", "Content-Type", "application/json", "Accept",
					"application/json", "X-Forwarded-For", client)
			.is(200)
			.body();
	}

	@ParameterizedTest
	@ValueSource(strings = { "{ a: plain b: plain }", "{ a: later b: later }" })
	void eachCallCountsUnlessTheAddressIsExempt(String document) {
		assertThat(ask("203.0.113.8", document)).contains("RATE_LIMITED");
		assertThat(ask("203.0.113.7", document)).doesNotContain("RATE_LIMITED").contains("\"b\":");
	}

	@Configuration(proxyBeanMethods = false)
	@Import(Fields.class)
	static class Application {

	}

	@Controller
	static class Fields {

		@QueryMapping
		@RateLimited(limit = 1, window = "1d")
		String plain() {
			return "plain";
		}

		@QueryMapping
		@RateLimited(limit = 1, window = "1d")
		Mono<String> later() {
			return Mono.just("later");
		}

	}

}
