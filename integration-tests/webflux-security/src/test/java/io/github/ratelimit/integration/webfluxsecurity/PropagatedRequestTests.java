package io.github.ratelimit.integration.webfluxsecurity;

import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.SecuredUsers;
import io.github.ratelimit.testserver.TestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Methods that return a plain value, in an application that has Reactor bring its context
 * to threads: they are part of their request.
 */
class PropagatedRequestTests {

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.startSecured(Application.class, "spring.reactor.context-propagation=auto",
				"spring.autoconfigure.exclude=", "shared: 5 per 1d; key=header('X-Client')",
				"user: 1 per 1d; key=principal.name", "/elastic -> shared", "/loop -> shared");
	}

	@AfterAll
	static void stopPropagation() {
		Hooks.disableAutomaticContextPropagation();
	}

	/* The rule and the service are one policy, and each call from the same place pays. */
	@ParameterizedTest
	@CsvSource({ "/loop?calls=1, 4", "/loop?calls=3, 2", "/elastic?calls=1, 4", "/elastic?calls=3, 2" })
	void callBelongsToTheRequestOnWhateverThreadItIsMade(String path, int left) {
		Answer answer = server.send("GET", path, "", "X-Client", path);
		assertThat(answer.status()).isEqualTo(200);
		assertThat(answer.headers().firstValue("RateLimit")).get().asString().startsWith("\"shared\";r=" + left + ";");
	}

	@Test
	void callIsRejectedWithItsRequest() {
		assertThat(server.send("GET", "/loop?calls=6", "", "X-Client", "a").status()).isEqualTo(429);
	}

	@Test
	void keyIsTheUser() {
		assertThat(new int[] { asUser("ann"), asUser("ann"), asUser("bob") }).containsExactly(200, 429, 200);
	}

	@Test
	void handlerWithAProxyPaysOnce() {
		for (String path : new String[] { "/mono?name=", "/mono/plain?name=", "/plain?name=" }) {
			for (int status : new int[] { 200, 200, 429 }) {
				assertThat(server.send("GET", path + "a", "").status()).as(path).isEqualTo(status);
			}
		}
	}

	private static int asUser(String user) {
		return server.send("GET", "/user", "", "Authorization", TestServer.basic(user, "secret")).status();
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Controller.class, Service.class, SecuredUsers.class })
	static class Application {

		@Bean
		SecurityWebFilterChain security(ServerHttpSecurity http) {
			return http
				.authorizeExchange(
						(exchanges) -> exchanges.pathMatchers("/user").authenticated().anyExchange().permitAll())
				.httpBasic(Customizer.withDefaults())
				.build();
		}

	}

	@RestController
	static class Controller {

		private final Service service;

		Controller(Service service) {
			this.service = service;
		}

		@GetMapping("/loop")
		public Mono<String> loop(int calls) {
			return Flux.range(0, calls).map((i) -> this.service.shared()).last();
		}

		@GetMapping("/elastic")
		public Mono<String> elastic(int calls) {
			return Flux.range(0, calls).publishOn(Schedulers.boundedElastic()).map((i) -> this.service.shared()).last();
		}

		@GetMapping("/user")
		public String user() {
			return this.service.user();
		}

		@GetMapping("/mono")
		@RateLimited(limit = 2, window = "1d", key = "#name")
		public Mono<String> mono(String name) {
			return Mono.just(name);
		}

		@GetMapping("/mono/plain")
		@RateLimited(limit = 2, window = "1d")
		public Mono<String> monoOfAll() {
			return Mono.just("a");
		}

		@GetMapping("/plain")
		@RateLimited(limit = 2, window = "1d")
		public String plain() {
			return "a";
		}

	}

	static class Service {

		@RateLimited("shared")
		public String shared() {
			return "shared";
		}

		@RateLimited("user")
		public String user() {
			return "user";
		}

	}

}
