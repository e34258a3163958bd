package io.github.ratelimit.integration.webfluxsecurity;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.reactive.EnableWebFluxSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.security.web.server.util.matcher.ServerWebExchangeMatcher.MatchResult;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * What Spring Security does to an exchange, and rules behind it see: it looks into forms,
 * and has a user for whoever is anonymous.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
		properties = { "ratelimit.policies.user.limit=1", "ratelimit.policies.user.window=1d",
				"ratelimit.policies.user.key=principal.name", "ratelimit.policies.form.limit=1",
				"ratelimit.policies.form.window=1d", "ratelimit.policies.form.key=parameter('name')",
				"ratelimit.rules[0].path=/user", "ratelimit.rules[0].policy=user", "ratelimit.rules[1].path=/form",
				"ratelimit.rules[1].policy=form", "ratelimit.rules[1].phase=after-security",
				"ratelimit.client-address.trusted-proxies=127.0.0.1" })
class ReactiveSecurityTests {

	private WebTestClient client;

	@BeforeEach
	void connect(@LocalServerPort int port) {
		this.client = WebTestClient.bindToServer().baseUrl("http://127.0.0.1:" + port).build();
	}

	@Test
	void whoIsAnonymousIsTheClientsAddress() {
		post("/user", "", "10.0.0.1", 200);
		post("/user", "", "10.0.0.2", 200);
		post("/user", "", "10.0.0.2", 429);
	}

	@Test
	void aFormThatSpringSecurityHasLookedIntoIsStillThere() {
		post("/form", "name=a", "10.0.0.3", 200);
		post("/form", "name=a", "10.0.0.4", 429);
		post("/form", "name=b", "10.0.0.4", 200);
	}

	private void post(String path, String form, String client, int status) {
		this.client.post()
			.uri(path)
			.header("Content-Type", "application/x-www-form-urlencoded")
			.header("X-Forwarded-For", client)
			.bodyValue(form)
			.exchange()
			.expectStatus()
			.isEqualTo(status);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableWebFluxSecurity
	@RestController
	static class Application {

		@PostMapping({ "/user", "/form" })
		Mono<String> form(Named named) {
			return Mono.just("hello");
		}

		@Bean
		SecurityWebFilterChain security(ServerHttpSecurity http) {
			return http.authorizeExchange((exchanges) -> exchanges.anyExchange().permitAll())
				.anonymous(Customizer.withDefaults())
				.csrf((csrf) -> csrf.requireCsrfProtectionMatcher(
						(exchange) -> exchange.getFormData().flatMap((form) -> MatchResult.notMatch())))
				.build();
		}

	}

	record Named(String name) {

	}

}
