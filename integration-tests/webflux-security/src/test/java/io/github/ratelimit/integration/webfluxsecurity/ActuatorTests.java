package io.github.ratelimit.integration.webfluxsecurity;

import com.jayway.jsonpath.JsonPath;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.TestServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.web.server.SecurityWebFilterChain;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The endpoint where Spring Security guards it with its defaults, and rules for its
 * paths, on the application's port and on a port of its own.
 */
class ActuatorTests {

	private static final String ENDPOINT = "/actuator/ratelimits";

	private static final String[] PROPERTIES = { "spring.autoconfigure.exclude=", "ratelimit.advice.enabled=true",
			"management.endpoints.web.exposure.include=ratelimits",
			"management.endpoint.ratelimits.access=unrestricted",
			"management.endpoint.ratelimits.show-keys=when-authorized", "management.endpoint.ratelimits.roles=ADMIN",
			"api: 3 per 1h; key='all'" };

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.startSecured(Application.class,
				TestServer.with(PROPERTIES, ENDPOINT + "/{policy} -> api; methods=GET"));
	}

	@BeforeEach
	void forget() {
		server.forget();
	}

	@Test
	void changeIsMadeWithTheTokenThatTheEndpointTells() {
		Answer told = server.getAs("ann", ENDPOINT + "/page/token").is(200);
		assertThat(told.field("Cache-Control")).contains("no-store");
		String session = told.field("Set-Cookie").split(";")[0];
		change(session).is(403);
		change(session, JsonPath.read(told.body(), "$.header"), JsonPath.read(told.body(), "$.token")).is(201);
		Answer override = server.getAs("ann", ENDPOINT + "/api/override?key=acme");
		assertThat(JsonPath.<String>read(override.body(), "$.who")).isEqualTo("ann");
	}

	@ParameterizedTest
	@CsvSource({ "ann, true", "bob, false" })
	void whoIsNoAdministratorSeesNoKeys(String user, boolean seen) {
		for (int i = 0; i < 10; i++) {
			server.limiter().decide("api", "the key");
		}
		assertThat(server.getAs(user, ENDPOINT + "/api/rejected").is(200).body().contains("the key")).isEqualTo(seen);
	}

	@Test
	void pathOfTheEndpointIsLimited() {
		for (int i = 2; i >= 0; i--) {
			server.getAs("ann", ENDPOINT + "/api?key=all").is(200, "X-RateLimit-Remaining: " + i);
		}
		server.getAs("ann", ENDPOINT + "/api?key=all").is(429);
		server.getAs("ann", ENDPOINT).is(200).tellsOfNoLimit();
	}

	@Test
	void rulesHoldOnAPortOfItsOwn() {
		try (TestServer divided = TestServer.startSecured(Application.class, TestServer.with(PROPERTIES, "/** -> api",
				"management.server.port=0", "management.server.address=127.0.0.1"))) {
			int port = Integer.parseInt(divided.bean(Environment.class).getRequiredProperty("local.management.port"));
			TestServer.get(port, ENDPOINT + "/page").is(200, "X-RateLimit-Remaining: 2");
			divided.getAs("ann", ENDPOINT).is(404, "X-RateLimit-Remaining: 1");
			TestServer.get(port, ENDPOINT + "/page").is(200, "X-RateLimit-Remaining: 0");
			TestServer.get(port, ENDPOINT + "/page").is(429);
			assertThat(divided.bean(RateLimitFindings.class).list()).isEmpty();
		}
	}

	private static Answer change(String session, String... headers) {
		return server.send("POST", ENDPOINT + "/api?key=acme", "{\"limits\": [{\"limit\": 10, \"window\": \"1m\"}]}",
				TestServer.with(headers, "Cookie", session, "Authorization", TestServer.basic("ann", "secret"),
						"Content-Type", "application/json"));
	}

	@Configuration(proxyBeanMethods = false)
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
			return http.authorizeExchange(
					(exchanges) -> exchanges.pathMatchers(ENDPOINT + "/page").permitAll().anyExchange().authenticated())
				.httpBasic(Customizer.withDefaults())
				.build();
		}

	}

}
