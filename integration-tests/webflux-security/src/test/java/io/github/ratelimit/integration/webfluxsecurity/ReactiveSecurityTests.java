package io.github.ratelimit.integration.webfluxsecurity;

import java.util.function.Consumer;

import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.annotation.RateLimited;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpHeaders;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.reactive.EnableWebFluxSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.security.web.server.util.matcher.ServerWebExchangeMatcher;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rules around Spring Security's filter: those that read the user are enforced behind it,
 * all others before.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
		properties = { "ratelimit.policies.user.limit=1", "ratelimit.policies.user.window=1d",
				"ratelimit.policies.user.key=principal.name", "ratelimit.policies.attempts.limit=2",
				"ratelimit.policies.attempts.window=1d", "ratelimit.policies.attempts.key='all'",
				"ratelimit.policies.form.limit=1", "ratelimit.policies.form.window=1d",
				"ratelimit.policies.form.key=parameter('name')", "ratelimit.policies.charged.limit=100",
				"ratelimit.policies.charged.window=1d", "ratelimit.policies.charged.key='all'",
				"ratelimit.policies.charged.charge=principal == null ? 1 : principal.name == 'a' ? 5 : 7",
				"ratelimit.rules[0].path=/{of:user|open}", "ratelimit.rules[0].policy=user",
				"ratelimit.rules[1].path=/attempts", "ratelimit.rules[1].policy=attempts",
				"ratelimit.rules[2].path=/form", "ratelimit.rules[2].policy=form",
				"ratelimit.rules[2].phase=after-security", "ratelimit.rules[3].path=/charged",
				"ratelimit.rules[3].policy=charged", "ratelimit.rules[3].cost=10" })
class ReactiveSecurityTests {

	@Autowired
	private RateLimiterRegistry limits;

	private WebTestClient client;

	@BeforeEach
	void connect(@LocalServerPort int port) {
		this.client = WebTestClient.bindToServer().baseUrl("http://127.0.0.1:" + port).build();
		for (RateLimiter policy : this.limits.policies()) {
			for (String key : new String[] { "all", "a", "b" }) {
				policy.reset(key);
			}
		}
	}

	private int status(String path, String user) {
		return this.client.get()
			.uri(path)
			.headers(user(user))
			.exchange()
			.returnResult(String.class)
			.getStatus()
			.value();
	}

	private static Consumer<HttpHeaders> user(String user) {
		return (headers) -> {
			if (!user.isEmpty()) {
				headers.setBasicAuth(user, "password");
			}
		};
	}

	@ParameterizedTest
	@ValueSource(strings = { "/user", "/handler", "/around" })
	void eachUserHasABudgetAndWhoIsNoneIsTurnedDownBefore(String path) {
		assertThat(status(path, "")).isEqualTo(401);
		assertThat(status(path, "a")).isEqualTo(200);
		assertThat(status(path, "a")).isEqualTo(429);
		assertThat(status(path, "b")).isEqualTo(200);
		assertThat(status(path, "")).isEqualTo(401);
	}

	@Test
	void anonymousUsersShareTheBudgetOfTheirAddress() {
		assertThat(status("/open", "")).isEqualTo(200);
		assertThat(status("/open", "")).isEqualTo(429);
	}

	@Test
	void aRuleThatDoesNotReadTheUserCountsWhatSpringSecurityTurnsDown() {
		assertThat(status("/attempts", "")).isEqualTo(401);
		assertThat(status("/attempts", "unknown")).isEqualTo(401);
		assertThat(status("/attempts", "a")).isEqualTo(429);
	}

	@Test
	void aFormThatSpringSecurityHasLookedIntoIsStillThere() {
		for (int status : new int[] { 200, 429 }) {
			this.client.post()
				.uri("/form")
				.headers(user("a"))
				.header("Content-Type", "application/x-www-form-urlencoded")
				.bodyValue("name=form")
				.exchange()
				.expectStatus()
				.isEqualTo(status);
		}
	}

	@Test
	void aChargeReadsTheUserWhoIsKnownOnlyLater() {
		assertThat(status("/charged", "a")).isEqualTo(200);
		await(95);
		assertThat(status("/charged", "")).isEqualTo(401);
		await(94);
	}

	private void await(long remaining) {
		Awaitility.await().until(() -> this.limits.policy("charged").peek("all").remaining() == remaining);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableWebFluxSecurity
	@RestController
	static class Application {

		@GetMapping({ "/user", "/open", "/attempts", "/charged" })
		Mono<String> hello() {
			return Mono.just("hello");
		}

		@RateLimited("user")
		@GetMapping("/handler")
		public Mono<String> handler() {
			return Mono.just("handler");
		}

		@RateLimited(policy = "user", condition = "#root.target != null")
		@GetMapping("/around")
		public Mono<String> around() {
			return Mono.just("around");
		}

		@PostMapping("/form")
		Mono<String> form(Named named) {
			return Mono.just(named.name());
		}

		@Bean
		SecurityWebFilterChain security(ServerHttpSecurity http) {
			return http
				.authorizeExchange(
						(exchanges) -> exchanges.pathMatchers("/open").permitAll().anyExchange().authenticated())
				.httpBasic(Customizer.withDefaults())
				.anonymous(Customizer.withDefaults())
				.csrf((csrf) -> csrf.requireCsrfProtectionMatcher((exchange) -> exchange.getFormData()
					.flatMap((form) -> ServerWebExchangeMatcher.MatchResult.notMatch())))
				.build();
		}

		@Bean
		@SuppressWarnings("deprecation")
		MapReactiveUserDetailsService users() {
			return new MapReactiveUserDetailsService(
					User.withDefaultPasswordEncoder().username("a").password("password").roles("USER").build(),
					User.withDefaultPasswordEncoder().username("b").password("password").roles("USER").build());
		}

	}

	record Named(String name) {

	}

}
