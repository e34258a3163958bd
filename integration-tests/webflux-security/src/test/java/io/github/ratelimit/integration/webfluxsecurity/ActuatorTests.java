package io.github.ratelimit.integration.webfluxsecurity;

import java.net.http.HttpResponse;
import java.util.Base64;

import com.jayway.jsonpath.JsonPath;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.web.server.SecurityWebFilterChain;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The endpoint where Spring Security guards it with its defaults, on the application's
 * port and on one of its own, and rules for its paths.
 */
class ActuatorTests {

	private static final String ENDPOINT = "/actuator/ratelimits";

	private static final String[] PROPERTIES = { "ratelimit.advice.enabled=true",
			"management.endpoints.web.exposure.include=ratelimits",
			"management.endpoint.ratelimits.access=unrestricted",
			"management.endpoint.ratelimits.show-keys=when-authorized", "management.endpoint.ratelimits.roles=ADMIN",
			"ratelimit.policies.api.key='all'", "ratelimit.policies.api.limit=3", "ratelimit.policies.api.window=1h",
			"ratelimit.policies.unused.key='all'", "ratelimit.policies.unused.limit=3",
			"ratelimit.policies.unused.window=1h", "ratelimit.rules[0].path=" + ENDPOINT + "/unused",
			"ratelimit.rules[0].policy=api" };

	@AutoClose
	private static NettyServer server;

	@AutoClose
	private static NettyServer divided;

	@BeforeAll
	static void start() {
		server = NettyServer.start(Application.class, PROPERTIES);
		divided = NettyServer.start(Application.class, NettyServer.with(PROPERTIES, "management.server.port=0",
				"management.server.address=127.0.0.1", "ratelimit.rules[0].path=/**"));
	}

	@ParameterizedTest
	@CsvSource({ "server", "management" })
	void changeIsMadeWithTheTokenThatTheEndpointTells(String port) {
		NettyServer asked = at(port);
		HttpResponse<String> told = get(asked, "/page/token", "ann");
		assertThat(told.headers().firstValue("Cache-Control").orElseThrow()).contains("no-store");
		String session = told.headers().firstValue("Set-Cookie").orElseThrow().split(";")[0];
		assertThat(put(asked, "Cookie", session)).isEqualTo(403);
		assertThat(put(asked, "Cookie", session, JsonPath.read(told.body(), "$.header"),
				JsonPath.read(told.body(), "$.token")))
			.isIn(200, 201);
		assertThat(JsonPath.<String>read(get(asked, "/api/override?key=acme", "ann").body(), "$.who")).isEqualTo("ann");
	}

	@ParameterizedTest
	@CsvSource({ "ann, server, true", "bob, server, false", "ann, management, true", "bob, management, false" })
	void whoIsNoAdministratorSeesNoKeys(String user, String port, boolean seen) {
		NettyServer asked = at(port);
		for (int i = 0; i < 10; i++) {
			asked.limiter().decide("unused", "the key");
		}
		assertThat(get(asked, "/unused/rejected", user).body().contains("the key")).isEqualTo(seen);
	}

	@Test
	void pathOfTheEndpointIsLimited() {
		server.limiter().policy("api").reset("all");
		for (int i = 0; i < 3; i++) {
			assertThat(get(server, "/unused?key=all", "ann").headers().firstValue("RateLimit")).isPresent();
		}
		assertThat(get(server, "/unused?key=all", "ann").statusCode()).isEqualTo(429);
		assertThat(get(server, "/api?key=all", "ann").statusCode()).isEqualTo(200);
	}

	@Test
	void portOfItsOwnHasNoRules() {
		for (int i = 0; i < 5; i++) {
			assertThat(get(at("management"), "/unused?key=all", "ann").statusCode()).isEqualTo(200);
		}
		assertThat(get(divided, "/unused?key=all", "ann").statusCode()).isEqualTo(404);
	}

	private static NettyServer at(String port) {
		return port.equals("server") ? server : divided.at(port);
	}

	private static HttpResponse<String> get(NettyServer asked, String path, String user) {
		return asked.sendAsync("GET", ENDPOINT + path, "", "Authorization", basic(user)).join();
	}

	private static int put(NettyServer asked, String... headers) {
		return asked.send("POST", ENDPOINT + "/api?key=acme", "{\"limits\": [{\"limit\": 10, \"window\": \"1m\"}]}",
				NettyServer.with(headers, "Authorization", basic("ann"), "Content-Type", "application/json"));
	}

	private static String basic(String user) {
		return "Basic " + Base64.getEncoder().encodeToString((user + ":secret").getBytes());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		MapReactiveUserDetailsService users() {
			return new MapReactiveUserDetailsService(user("ann", "ADMIN"), user("bob", "USER"));
		}

		private static UserDetails user(String name, String role) {
			return User.withUsername(name).password("{noop}secret").roles(role).build();
		}

		@Bean
		SecurityWebFilterChain security(ServerHttpSecurity http) {
			return http.authorizeExchange((exchanges) -> exchanges.anyExchange().authenticated())
				.httpBasic(Customizer.withDefaults())
				.build();
		}

	}

}
