package io.github.ratelimit.web.servlet;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitSettlement;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.annotation.RateLimited;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.security.authentication.AuthenticationEventPublisher;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authentication.ProviderManager;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.authentication.dao.DaoAuthenticationProvider;
import org.springframework.security.authentication.ott.GenerateOneTimeTokenRequest;
import org.springframework.security.authentication.ott.InMemoryOneTimeTokenService;
import org.springframework.security.authentication.ott.OneTimeTokenService;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.oauth2.jwt.BadJwtException;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.ott.OneTimeTokenGenerationSuccessHandler;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Logins of which only the failures count, beside Spring Security on a real server: by
 * its own filters, which end a request before any handler, and in a controller.
 */
class ChargedLoginTests {

	private static final String RIGHT = TestServer.basic("ann", "secret");

	private static final String WRONG = TestServer.basic("ann", "guess");

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.startSecured(Application.class,
				"login: 5 per 15m; algorithm=sliding-window-log; key='all'; charge=authenticationFailed",
				"users: 100000 per 1d; key='all'; charge=principal?.name == 'ann' ? 3 : 0",
				"server.tomcat.threads.max=80", "/login -> login", "/login/ott -> login", "/mine -> login",
				"/sign-in -> login", "/sign-in-later -> login", "/mine -> users", "/leave -> users");
	}

	@BeforeEach
	void reset() {
		for (RateLimiter policy : server.limiter().policies()) {
			policy.reset("all");
			policy.reset("ann");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "form", "basic", "bearer", "one-time token", "controller", "callable" })
	void onlyFailuresCount(String way) {
		for (int i = 1; i <= 5; i++) {
			assertThat(statusOf(way, true)).isNotEqualTo(429);
			awaitSettled();
			assertThat(remaining("login")).isEqualTo(6 - i);
			assertThat(statusOf(way, false)).isNotEqualTo(429);
			await("login", 5 - i);
		}
		send(way, true).is(429, "Retry-After: 900");
	}

	@Test
	void sixtyFourWrongPasswordsAtOnceAreFiveFailures() {
		List<CompletableFuture<Answer>> logins = Stream
			.generate(() -> server.sendAsync("GET", "/mine", "", "Authorization", WRONG))
			.limit(64)
			.toList();
		List<Integer> statuses = logins.stream().map((login) -> login.join().status()).toList();
		assertThat(statuses).filteredOn((status) -> status == 401).hasSize(5);
		assertThat(statuses).filteredOn((status) -> status == 429).hasSize(59);
		await("login", 0);
	}

	@Test
	void tenThousandRightPasswordsOneAfterAnotherNeverCount() {
		server.getTimes(10_000, "/mine", "Authorization", RIGHT);
		await("login", 5);
		await("users", 70_000);
		assertThat(server.limiter().policy("login").settlements(RateLimitSettlement.FAILED)).isZero();
	}

	@Test
	void aChargeByTheUserIsDecidedBeforeSpringSecurityAndKnowsWhoItWas() {
		server.get("/mine", "Authorization", RIGHT).is(200);
		await("users", 99_997);
		server.get("/mine", "Authorization", WRONG).is(401);
		await("login", 4);
		assertThat(remaining("users")).isEqualTo(99_997);
	}

	@Test
	void aUserWhoLogsOutMeanwhileIsCharged() {
		server.get("/leave", "Authorization", RIGHT).is(200);
		await("users", 99_997);
	}

	@Test
	void aFailedLoginIsNobodyElses() {
		assertThat(statusOf("form", false)).isNotEqualTo(429);
		await("login", 4);
		for (int i = 0; i < 10; i++) {
			assertThat(statusOf("basic", true)).isEqualTo(200);
			awaitSettled();
		}
		await("login", 4);
	}

	@ParameterizedTest
	@ValueSource(strings = { "log-in", "log-in-later" })
	void anAnnotatedLoginCountsFailuresByName(String policy) {
		String path = "/" + policy;
		for (int i = 0; i < 5; i++) {
			assertThat(signIn(path, "ann", "secret").status()).isEqualTo(200);
			TestServer.await(() -> server.limiter().peek(policy, "ann").remaining() == 5);
		}
		for (int i = 1; i <= 5; i++) {
			long left = 5 - i;
			assertThat(signIn(path, "ann", "guess").status()).isEqualTo(401);
			TestServer.await(() -> server.limiter().peek(policy, "ann").remaining() == left);
		}
		assertThat(signIn(path, "ann", "secret").status()).isEqualTo(429);
		assertThat(signIn(path, "eve", "secret").status()).isEqualTo(401);
	}

	private static int statusOf(String way, boolean right) {
		return send(way, right).status();
	}

	private static Answer send(String way, boolean right) {
		return switch (way) {
			case "form" -> signIn("/login", "ann", right ? "secret" : "guess");
			case "basic" -> server.get("/mine", "Authorization", right ? RIGHT : WRONG);
			case "bearer" -> server.get("/mine", "Authorization", "Bearer " + (right ? "right" : "wrong"));
			case "one-time token" -> server.form("/login/ott", "token=" + token(right));
			case "controller" -> signIn("/sign-in", "ann", right ? "secret" : "guess");
			case "callable" -> signIn("/sign-in-later", "ann", right ? "secret" : "guess");
			default -> throw new IllegalArgumentException(way);
		};
	}

	private static String token(boolean right) {
		return right ? server.bean(OneTimeTokenService.class)
			.generate(new GenerateOneTimeTokenRequest("ann"))
			.getTokenValue() : "guess";
	}

	private static Answer signIn(String path, String name, String password) {
		return server.form(path, "username=" + name + "&password=" + password);
	}

	private static void await(String policy, long remaining) {
		TestServer.await(() -> remaining(policy) == remaining);
	}

	private static void awaitSettled() {
		RateLimiter login = server.limiter().policy("login");
		TestServer.await(() -> login.count(RateLimitOutcome.ALLOWED) == TestServer.settled(login));
	}

	private static long remaining(String policy) {
		return server.limiter().policy(policy).peek("all").remaining();
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Controller.class, SecuredUsers.class })
	static class Application {

		@Bean
		JwtDecoder jwtDecoder() {
			return (token) -> {
				if (!token.equals("right")) {
					throw new BadJwtException("as asked");
				}
				return Jwt.withTokenValue(token).header("alg", "none").subject("ann").build();
			};
		}

		@Bean
		OneTimeTokenService oneTimeTokens() {
			return new InMemoryOneTimeTokenService();
		}

		@Bean
		AuthenticationManager authenticationManager(UserDetailsService users, PasswordEncoder encoder,
				AuthenticationEventPublisher publisher) {
			DaoAuthenticationProvider provider = new DaoAuthenticationProvider(users);
			provider.setPasswordEncoder(encoder);
			ProviderManager manager = new ProviderManager(provider);
			manager.setAuthenticationEventPublisher(publisher);
			return manager;
		}

		@Bean
		SecurityFilterChain security(HttpSecurity http, UserDetailsService users, OneTimeTokenService tokens) {
			OneTimeTokenGenerationSuccessHandler sent = (request, response, token) -> response.setStatus(204);
			return http
				.authorizeHttpRequests(
						(requests) -> requests.requestMatchers("/mine").authenticated().anyRequest().permitAll())
				.formLogin(Customizer.withDefaults())
				.httpBasic(Customizer.withDefaults())
				.oauth2ResourceServer((server) -> server.jwt(Customizer.withDefaults()))
				.oneTimeTokenLogin((login) -> login.tokenService(tokens).tokenGenerationSuccessHandler(sent))
				.sessionManagement((sessions) -> sessions.sessionFixation().none())
				.csrf(AbstractHttpConfigurer::disable)
				.build();
		}

	}

	@RestController
	static class Controller {

		private final AuthenticationManager manager;

		Controller(AuthenticationManager manager) {
			this.manager = manager;
		}

		@GetMapping("/mine")
		String mine() {
			return "mine";
		}

		@GetMapping("/leave")
		Callable<String> leave(HttpServletRequest request) throws ServletException {
			request.logout();
			return () -> "left";
		}

		@PostMapping("/sign-in")
		String signIn(@RequestParam String username, @RequestParam String password) {
			return this.manager.authenticate(new UsernamePasswordAuthenticationToken(username, password)).getName();
		}

		@PostMapping("/sign-in-later")
		Callable<String> signInLater(@RequestParam String username, @RequestParam String password) {
			return () -> signIn(username, password);
		}

		@PostMapping("/log-in-later")
		@RateLimited(name = "log-in-later", limit = 5, window = "15m", key = "#username",
				charge = "authenticationFailed")
		Callable<String> logInLater(@RequestParam String username, @RequestParam String password) {
			return () -> signIn(username, password);
		}

		@PostMapping("/log-in")
		@RateLimited(name = "log-in", limit = 5, window = "15m", key = "parameter('username')",
				charge = "authenticationFailed")
		String logIn(@RequestParam String username, @RequestParam String password) {
			return signIn(username, password);
		}

		@ExceptionHandler
		@ResponseStatus(HttpStatus.UNAUTHORIZED)
		String failed(AuthenticationException ex) {
			return "failed";
		}

	}

}
