package io.github.ratelimit.web.servlet;

import java.security.Principal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.expression.KeyResolver;
import io.github.ratelimit.expression.RateLimitContext;
import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.Registrations;
import io.github.ratelimit.testserver.SecuredUsers;
import io.github.ratelimit.testserver.TestServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Before or after Spring Security: a rule whose key asks for the user in whatever way
 * finds the user, and a rule may say itself where it belongs.
 */
@ExtendWith(OutputCaptureExtension.class)
class SecurityPhaseTests {

	private static final String HOLDER = "T(org.springframework.security.core.context.SecurityContextHolder)";

	/*
	 * However a key asks for the user; the last is the key of all policies that have
	 * none.
	 */
	private static final List<String> KEYS = List.of(HOLDER + ".context.authentication.name", "request['remoteUser']",
			"request.getUserPrincipal().name", "#root['principal'].name", "principal", "header('X-None') ?: principal",
			"request.isUserInRole('ADMIN') ? 'admins' : request.remoteUser", "@users.current()", "@userKeys",
			"T(io.github.ratelimit.web.servlet.SecurityPhaseTests$Users).name()",
			"@limited.prefix() + request.remoteUser", "");

	private static final List<String> RULES = List.of("ratelimit.key=request['remoteUser']",
			"slow: 10 per 1s; key=principal.name; algorithm=leaky-bucket; burst=10", "/slow -> slow");

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		List<String> properties = new ArrayList<>(RULES);
		for (int i = 0; i < KEYS.size(); i++) {
			properties.add("by" + i + ": 100 per 1d" + (KEYS.get(i).isEmpty() ? "" : "; key=" + KEYS.get(i)));
			properties.add("/by/" + i + " -> by" + i);
		}
		server = TestServer.startSecured(Application.class, properties.toArray(String[]::new));
	}

	@BeforeEach
	void forget() {
		server.forget();
	}

	@ParameterizedTest
	@FieldSource("KEYS")
	void aKeyThatAsksForTheUserInWhateverWayFindsTheUser(String key) {
		String path = "/by/" + KEYS.indexOf(key);
		assertThat(server.getAs("ann", path).remaining()).isEqualTo(99);
		assertThat(server.getAs("bob", path).remaining()).isEqualTo(99);
		assertThat(server.getAs("ann", path).remaining()).isEqualTo(98);
		server.get(path).is(401);
		assertThat(server.limiter().policy("by" + KEYS.indexOf(key)).keys()).isEqualTo(2);
	}

	@ParameterizedTest
	@CsvSource({ "@userKeys, before-security, false, true", "@tenantKeys, before-security, true, false",
			"header('X-Tenant'), , false, false" })
	void onlyAKeyResolverThatNeverFoundAnybodyBeforeSecurityIsMentionedAndOnce(String key, @Nullable String phase,
			boolean found, boolean mentioned, CapturedOutput output) {
		try (TestServer server = TestServer.startSecured(Application.class, "user: 500 per 1d; key=" + key,
				"/mine -> user" + ((phase != null) ? "; phase=" + phase : ""))) {
			server.getAs("ann", "/mine", "X-Tenant", found ? "acme" : "");
			for (int i = 0; i < 98; i++) {
				server.getAs("ann", "/mine");
			}
			assertThat(output).doesNotContain("before Spring Security");
			for (int i = 0; i < 20; i++) {
				server.getAs("ann", "/mine");
			}
			assertThat(output.getAll().split("before Spring Security", -1)).hasSize(mentioned ? 2 : 1);
			if (mentioned) {
				assertThat(output).contains("rule /mine (policy 'user')", "set its phase to after-security");
			}
		}
	}

	@Test
	void whatAServletCallsKnowsTheUser() {
		server.getAs("ann", "/servlet").is(200);
		server.getAs("ann", "/servlet").is(429);
		server.getAs("bob", "/servlet").is(200);
	}

	@Test
	void aRequestIsStillItsUsersAfterTheWait() {
		assertThat(server.getAs("ann", "/slow").body()).isEqualTo("ann ann");
		Answer delayed = server.getAs("ann", "/slow");
		assertThat(server.limiter().policy("slow").count(RateLimitOutcome.DELAYED)).isEqualTo(1);
		assertThat(delayed.body()).isEqualTo("ann ann");
		assertThat(delayed.all("RateLimit")).hasSize(1);
		assertThat(delayed.all("X-RateLimit-Remaining")).hasSize(1);
		assertThat(server.bean(AtomicInteger.class)).hasValue(2);
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Controller.class, SecuredUsers.class })
	static class Application {

		@Bean
		Users users() {
			return new Users();
		}

		@Bean
		AtomicInteger slowCalls() {
			return new AtomicInteger();
		}

		@Bean
		Limited limited() {
			return new Limited();
		}

		@Bean
		ServletRegistrationBean<?> servlet(Limited limited) {
			return Registrations.servlet("/servlet", (request, response) -> limited.ofUser());
		}

		@Bean(defaultCandidate = false)
		KeyResolver userKeys() {
			return (context) -> Users.name();
		}

		@Bean(defaultCandidate = false)
		KeyResolver tenantKeys() {
			return (RateLimitContext context) -> (context.request() != null) ? context.request().header("X-Tenant")
					: null;
		}

		@Bean
		SecurityFilterChain security(HttpSecurity http) {
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
				.httpBasic(Customizer.withDefaults())
				.build();
		}

	}

	public static final class Users {

		public static String name() {
			Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
			return (authentication != null) ? authentication.getName() : null;
		}

		public String current() {
			return name();
		}

	}

	public static class Limited {

		@RateLimited(limit = 1000, window = "1d")
		public String prefix() {
			return "user-";
		}

		@RateLimited(limit = 1, window = "1d", key = "principal.name")
		public void ofUser() {
		}

	}

	@RestController
	static class Controller {

		private final AtomicInteger slowCalls;

		Controller(AtomicInteger slowCalls) {
			this.slowCalls = slowCalls;
		}

		@GetMapping({ "/mine", "/by/*" })
		String mine(Principal principal) {
			return principal.getName();
		}

		@GetMapping("/slow")
		String slow(Principal principal) {
			this.slowCalls.incrementAndGet();
			return principal.getName() + " " + SecurityContextHolder.getContext().getAuthentication().getName();
		}

	}

}
