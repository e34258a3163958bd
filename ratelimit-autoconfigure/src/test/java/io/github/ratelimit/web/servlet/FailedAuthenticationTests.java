package io.github.ratelimit.web.servlet;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimiter;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authentication.AuthenticationProvider;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authentication.ProviderManager;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which authentications count as failed: whatever their exception is called, and also
 * where Spring Security publishes nothing. On a real server, with a rule for all paths.
 */
class FailedAuthenticationTests {

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.startSecured(Application.class,
				"login: 5 per 15m; algorithm=sliding-window-log; key='all'; charge=authenticationFailed",
				"/** -> login");
	}

	@BeforeEach
	void reset() {
		login().reset("all");
	}

	@ParameterizedTest
	@CsvSource({ "form, /login", "basic, /mine", "form, /quiet/login", "basic, /quiet/mine", "form, /bean/login",
			"basic, /bean/mine", "form, /sign-in", "form, /hidden", "form, /thrown" })
	void everyFailureCountsWhateverItIsCalledAndNoSuccess(String way, String path) {
		for (int i = 1; i <= 5; i++) {
			assertThat(authenticate(way, path, "secret")).isIn(200, 302);
			assertThat(remaining()).isEqualTo(6 - i);
			assertThat(authenticate(way, path, (i % 2 == 0) ? "subclass" : "own")).isIn(302, 401);
			assertThat(remaining()).isEqualTo(5 - i);
		}
		assertThat(authenticate(way, path, "secret")).isEqualTo(429);
	}

	@ParameterizedTest
	@CsvSource({ "GET, /mine, 302", "GET, /login, 200", "GET, /nowhere, 302", "GET, /open, 200", "POST, /open, 200",
			"GET, /open/nowhere, 404", "GET, /quiet/mine, 302" })
	void aRequestThatIsNoAttemptDoesNotCount(String method, String path, int status) {
		server
			.send(method, path, method.equals("GET") ? "" : "a=b", "Content-Type", "application/x-www-form-urlencoded",
					"Accept", "text/html")
			.is(status);
		assertThat(remaining()).isEqualTo(5);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/nowhere", "/quiet/nowhere", "/bean/nowhere" })
	void aRightPasswordDoesNotCountWhateverTheAnswer(String path) {
		assertThat(authenticate("basic", path, "secret")).isEqualTo(404);
		assertThat(remaining()).isEqualTo(5);
	}

	@Test
	void credentialsThatCannotBeReadCount() {
		server.get("/mine", "Authorization", "Basic ?").is(401);
		assertThat(remaining()).isEqualTo(4);
	}

	@Test
	void whoIsLoggedInAlreadyGuessesNoFaster() {
		Answer login = server.form("/login", "username=ann&password=secret");
		String cookie = login.field("Set-Cookie").split(";")[0];
		server.get("/mine", "Cookie", cookie).is(200);
		assertThat(remaining()).isEqualTo(5);
		server.form("/hidden", "username=bob&password=own", "Cookie", cookie).is(401);
		assertThat(remaining()).isEqualTo(4);
	}

	private static int authenticate(String way, String path, String password) {
		return (way.equals("basic") ? server.get(path, "Authorization", TestServer.basic("ann", password))
				: server.form(path, "username=ann&password=" + password, "Accept", "text/html"))
			.status();
	}

	private static long remaining() {
		TestServer.await(() -> login().count(RateLimitOutcome.ALLOWED) == TestServer.settled(login()));
		return login().peek("all").remaining();
	}

	private static RateLimiter login() {
		return server.limiter().policy("login");
	}

	@Configuration(proxyBeanMethods = false)
	@Import(Controller.class)
	static class Application {

		@Bean
		AuthenticationManager manager() {
			return new ProviderManager(new Passwords());
		}

		@Bean
		@Order(1)
		SecurityFilterChain quiet(HttpSecurity http) {
			return chain(http.securityMatcher("/quiet/**").authenticationManager(new ProviderManager(new Passwords())),
					"/quiet/login");
		}

		@Bean
		@Order(2)
		SecurityFilterChain ofBean(HttpSecurity http) {
			return chain(http.securityMatcher("/bean/**"), "/bean/login");
		}

		@Bean
		@Order(3)
		SecurityFilterChain published(HttpSecurity http) {
			return chain(http.authenticationProvider(new Passwords()), "/login");
		}

		private static SecurityFilterChain chain(HttpSecurity http, String login) {
			return http
				.authorizeHttpRequests(
						(requests) -> requests.requestMatchers("/sign-in", "/hidden", "/thrown", "/open/**", "/error")
							.permitAll()
							.anyRequest()
							.authenticated())
				.formLogin((form) -> form.loginProcessingUrl(login))
				.httpBasic(Customizer.withDefaults())
				.csrf(AbstractHttpConfigurer::disable)
				.build();
		}

	}

	/* Nothing of Spring Security is known by these exceptions. */
	private static final class Passwords implements AuthenticationProvider {

		@Override
		public Authentication authenticate(Authentication authentication) {
			String password = String.valueOf(authentication.getCredentials());
			if (password.equals("secret")) {
				return UsernamePasswordAuthenticationToken.authenticated(authentication.getName(), null,
						AuthorityUtils.NO_AUTHORITIES);
			}
			throw password.equals("subclass") ? new WrongPassword() : new Unwelcome();
		}

		@Override
		public boolean supports(Class<?> authentication) {
			return true;
		}

	}

	@SuppressWarnings("serial")
	private static final class WrongPassword extends BadCredentialsException {

		WrongPassword() {
			super("as asked");
		}

	}

	@SuppressWarnings("serial")
	private static final class Unwelcome extends AuthenticationException {

		Unwelcome() {
			super("as asked");
		}

	}

	@RestController
	static class Controller {

		private final AuthenticationManager hidden = new ProviderManager(new Passwords());

		private final AuthenticationManager manager;

		Controller(AuthenticationManager manager) {
			this.manager = manager;
		}

		@GetMapping({ "/mine", "/quiet/mine", "/bean/mine", "/open" })
		String mine() {
			return "mine";
		}

		@PostMapping("/open")
		String open() {
			return "open";
		}

		@PostMapping("/sign-in")
		String signIn(@RequestParam String username, @RequestParam String password) {
			return signIn(this.manager, username, password);
		}

		@PostMapping("/hidden")
		String hidden(@RequestParam String username, @RequestParam String password) {
			return signIn(this.hidden, username, password);
		}

		private static String signIn(AuthenticationManager manager, String username, String password) {
			try {
				return manager.authenticate(new UsernamePasswordAuthenticationToken(username, password)).getName();
			}
			catch (AuthenticationException ex) {
				throw new IllegalArgumentException(ex.getMessage());
			}
		}

		@PostMapping("/thrown")
		String thrown(@RequestParam String username, @RequestParam String password) {
			return this.hidden.authenticate(new UsernamePasswordAuthenticationToken(username, password)).getName();
		}

		@ExceptionHandler
		@ResponseStatus(HttpStatus.UNAUTHORIZED)
		String failed(IllegalArgumentException ex) {
			return "failed";
		}

	}

}
