package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

import io.github.ratelimit.RateLimitSettlement;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.Registrations;
import io.github.ratelimit.testserver.SecuredUsers;
import io.github.ratelimit.testserver.TestServer;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.security.authentication.AuthenticationEventPublisher;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authentication.AuthenticationProvider;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authentication.ProviderManager;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.authentication.ott.GenerateOneTimeTokenRequest;
import org.springframework.security.authentication.ott.InMemoryOneTimeTokenService;
import org.springframework.security.authentication.ott.OneTimeTokenService;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.oauth2.jwt.BadJwtException;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.context.HttpSessionSecurityContextRepository;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Logins of which only the failures count, on a real server with a rule for all paths:
 * whatever the way to log in, whatever the exception is called, and also where Spring
 * Security publishes nothing.
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
				"server.tomcat.threads.max=80", "/** -> login", "/mine -> users", "/leave -> users");
	}

	@BeforeEach
	void reset() {
		for (RateLimiter policy : server.limiter().policies()) {
			policy.reset("all");
			policy.reset("ann");
		}
	}

	@ParameterizedTest
	@CsvSource({ "form, /login", "basic, /mine", "bearer, /mine", "one-time, /login/ott", "form, /quiet/login",
			"basic, /quiet/mine", "form, /bean/login", "basic, /bean/mine", "form, /sign-in", "form, /sign-in-later",
			"form, /hidden", "form, /thrown" })
	void everyFailureCountsWhateverItIsCalledAndNoSuccess(String way, String path) {
		for (int i = 1; i <= 5; i++) {
			assertThat(authenticate(way, path, "secret").status()).isIn(200, 302);
			assertThat(remaining("login")).isEqualTo(6 - i);
			assertThat(authenticate(way, path, (i % 2 == 0) ? "subclass" : "own").status()).isIn(302, 401);
			assertThat(remaining("login")).isEqualTo(5 - i);
		}
		authenticate(way, path, "secret").is(429, "Retry-After: 900");
	}

	@ParameterizedTest
	@CsvSource({ "GET, /mine, 302", "GET, /login, 200", "GET, /nowhere, 302", "GET, /open, 200", "POST, /open, 200",
			"GET, /open/nowhere, 404", "GET, /quiet/mine, 302" })
	void aRequestThatIsNoAttemptDoesNotCount(String method, String path, int status) {
		server
			.send(method, path, method.equals("GET") ? "" : "a=b", "Content-Type", "application/x-www-form-urlencoded",
					"Accept", "text/html")
			.is(status);
		assertThat(remaining("login")).isEqualTo(5);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/nowhere", "/quiet/nowhere", "/bean/nowhere" })
	void aRightPasswordDoesNotCountWhateverTheAnswer(String path) {
		authenticate("basic", path, "secret").is(404);
		assertThat(remaining("login")).isEqualTo(5);
	}

	@Test
	void credentialsThatCannotBeReadCount() {
		server.get("/mine", "Authorization", "Basic ?").is(401);
		assertThat(remaining("login")).isEqualTo(4);
	}

	@Test
	void whoIsLoggedInAlreadyGuessesNoFaster() {
		String cookie = authenticate("form", "/login", "secret").field("Set-Cookie").split(";")[0];
		server.get("/mine", "Cookie", cookie).is(200);
		assertThat(remaining("login")).isEqualTo(5);
		server.form("/hidden", "username=bob&password=own", "Cookie", cookie).is(401);
		assertThat(remaining("login")).isEqualTo(4);
		server.form("/hidden", "username=bob&password=own", "Cookie", cookie, "Authorization", "any thing").is(401);
		assertThat(remaining("login")).isEqualTo(3);
	}

	@Test
	void whoIsLoggedInGuessesNoFasterWhateverTheSessionCallsTheUser() {
		String cookie = authenticate("form", "/quiet/login", "secret").field("Set-Cookie").split(";")[0];
		server.get("/quiet/mine", "Cookie", cookie).is(200);
		assertThat(remaining("login")).isEqualTo(5);
		server.form("/quiet/hidden", "username=bob&password=own", "Cookie", cookie, "Authorization", "any thing")
			.is(401);
		assertThat(remaining("login")).isEqualTo(4);
	}

	@Test
	void managersOfAnyClassAreNoticed() {
		for (String name : List.of("lambda", "ofOwnClass")) {
			server.get("/keys/" + name, "X-Key", "secret").is(200);
			server.get("/keys/" + name, "X-Key", "wrong").is(401);
		}
		assertThat(remaining("login")).isEqualTo(3);
	}

	@ParameterizedTest
	@ValueSource(strings = { "broken", "unreachable" })
	void aManagerThatBreaksHasFoundNobodyWhateverElseSucceeds(String password) {
		server.form("/sign-in", "username=bob&password=" + password, "Authorization", RIGHT).is(500);
		assertThat(remaining("login")).isEqualTo(4);
	}

	@Test
	void ofManagersThatAskOneAnotherTheFirstOneCounts() {
		server.get("/keys/either", "X-Key", "secret").is(200);
		assertThat(remaining("login")).isEqualTo(5);
		server.get("/keys/either", "X-Key", "wrong").is(401);
		assertThat(remaining("login")).isEqualTo(4);
	}

	@Test
	void authenticationThatIsNoneIsNoSuccess() {
		server.send("POST", "/keys/undecided", "", "X-Key", "wrong").is(401);
		assertThat(remaining("login")).isEqualTo(4);
	}

	@Test
	void managerWithAFinalMethodWorksAsBefore() {
		server.get("/keys/finally", "X-Key", "secret").is(200);
		server.get("/keys/finally", "X-Key", "wrong").is(401);
	}

	@Test
	void loginThatARequestIsDispatchedToIsLimited() {
		try (TestServer server = TestServer.startSecured(Application.class,
				"login: 5 per 15m; key='all'; charge=authenticationFailed", "/login -> login")) {
			for (int i = 0; i < 5; i++) {
				server.form("/dispatched", "username=ann&password=own").is(302);
				server.awaitSettled("login");
			}
			server.form("/dispatched", "username=ann&password=own").is(429);
		}
	}

	@Test
	void tenThousandRightPasswordsOneAfterAnotherNeverCount() {
		server.getTimes(10_000, "/mine", "Authorization", RIGHT);
		assertThat(remaining("login")).isEqualTo(5);
		assertThat(remaining("users")).isEqualTo(70_000);
		assertThat(server.limiter().policy("login").settlements(RateLimitSettlement.FAILED)).isZero();
	}

	@Test
	void aChargeByTheUserIsDecidedBeforeSpringSecurityAndKnowsWhoItWas() {
		server.get("/mine", "Authorization", RIGHT).is(200);
		assertThat(remaining("users")).isEqualTo(99_997);
		server.get("/mine", "Authorization", WRONG).is(401);
		assertThat(remaining("users")).isEqualTo(99_997);
		server.get("/leave", "Authorization", RIGHT).is(200);
		assertThat(remaining("users")).as("after a user who logs out meanwhile").isEqualTo(99_994);
	}

	@ParameterizedTest
	@ValueSource(strings = { "log-in", "log-in-later" })
	void anAnnotatedLoginCountsFailuresByName(String policy) {
		String path = "/" + policy;
		for (int i = 1; i <= 5; i++) {
			long left = 5 - i;
			assertThat(authenticate("form", path, "secret").status()).isEqualTo(200);
			TestServer.await(() -> server.limiter().peek(policy, "ann").remaining() == left + 1);
			assertThat(authenticate("form", path, "guess").status()).isEqualTo(401);
			TestServer.await(() -> server.limiter().peek(policy, "ann").remaining() == left);
		}
		server.limiter().policy("login").reset("all");
		authenticate("form", path, "secret").is(429);
		server.form(path, "username=eve&password=secret").is(200);
	}

	private static Answer authenticate(String way, String path, String password) {
		return switch (way) {
			case "basic" -> server.get(path, "Authorization", TestServer.basic("ann", password));
			case "bearer" -> server.get(path, "Authorization", "Bearer " + password);
			case "one-time" -> server.form(path, "token=" + (password.equals("secret") ? oneTimeToken() : password));
			default -> server.form(path, "username=ann&password=" + password, "Accept", "text/html");
		};
	}

	private static String oneTimeToken() {
		return server.bean(OneTimeTokenService.class).generate(new GenerateOneTimeTokenRequest("ann")).getTokenValue();
	}

	private static long remaining(String name) {
		server.awaitSettled(name);
		return server.limiter().peek(name, "all").remaining();
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Controller.class, SecuredUsers.class })
	static class Application {

		@Bean
		JwtDecoder jwtDecoder() {
			return (token) -> {
				if (!token.equals("secret")) {
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
		AuthenticationManager manager() {
			return new ProviderManager(new Passwords());
		}

		@Bean
		@Order(1)
		SecurityFilterChain quiet(HttpSecurity http) {
			HttpSessionSecurityContextRepository users = new HttpSessionSecurityContextRepository();
			users.setSpringSecurityContextKey("users of this chain");
			return chain(http.securityMatcher("/quiet/**")
				.securityContext((context) -> context.securityContextRepository(users))
				.authenticationManager(new ProviderManager(new Passwords())), "/quiet/login");
		}

		@Bean(defaultCandidate = false)
		AuthenticationManager lambda() {
			return new Passwords()::authenticate;
		}

		@Bean(defaultCandidate = false)
		OwnManager ofOwnClass() {
			return new OwnManager();
		}

		@Bean(defaultCandidate = false)
		AuthenticationManager either(@Qualifier("lambda") AuthenticationManager lambda,
				AuthenticationEventPublisher events) {
			return (authentication) -> {
				try {
					return lambda.authenticate(UsernamePasswordAuthenticationToken.unauthenticated("ann", "other"));
				}
				catch (AuthenticationException ex) {
					events.publishAuthenticationFailure(new BadCredentialsException("as asked"), authentication);
					return lambda.authenticate(authentication);
				}
			};
		}

		@Bean(defaultCandidate = false)
		AuthenticationManager undecided() {
			return (authentication) -> authentication;
		}

		@Bean(defaultCandidate = false)
		FinalMethod finallyDecided() {
			return new FinalMethod();
		}

		@Bean
		ServletRegistrationBean<?> dispatching() {
			return Registrations.dispatching("/dispatched", "/login");
		}

		@Bean
		FilterRegistrationBean<?> keys(@Qualifier("lambda") AuthenticationManager lambda,
				@Qualifier("ofOwnClass") OwnManager ofOwnClass, @Qualifier("either") AuthenticationManager either,
				@Qualifier("undecided") AuthenticationManager undecided,
				@Qualifier("finallyDecided") FinalMethod finallyDecided) {
			Map<String, AuthenticationManager> managers = Map.of("/keys/lambda", lambda, "/keys/ofOwnClass", ofOwnClass,
					"/keys/either", either, "/keys/undecided", undecided, "/keys/finally", finallyDecided);
			FilterRegistrationBean<?> registration = Registrations.filter(0, (request, response, chain) -> {
				try {
					Authentication found = managers.get(request.getRequestURI())
						.authenticate(new UsernamePasswordAuthenticationToken("ann", request.getHeader("X-Key")));
					response.setStatus(found.isAuthenticated() ? 200 : 401);
				}
				catch (AuthenticationException ex) {
					response.setStatus(401);
				}
			});
			registration.addUrlPatterns("/keys/*");
			return registration;
		}

		@Bean
		@Order(2)
		SecurityFilterChain ofBean(HttpSecurity http) {
			return chain(http.securityMatcher("/bean/**"), "/bean/login");
		}

		@Bean
		@Order(3)
		SecurityFilterChain published(HttpSecurity http) {
			return chain(
					http.authenticationProvider(new Passwords())
						.oauth2ResourceServer((server) -> server.jwt(Customizer.withDefaults()))
						.oneTimeTokenLogin((login) -> login
							.tokenGenerationSuccessHandler((request, response, token) -> response.setStatus(204))),
					"/login");
		}

		private static SecurityFilterChain chain(HttpSecurity http, String login) {
			return http
				.authorizeHttpRequests((requests) -> requests
					.requestMatchers("/sign-in*", "/log-in*", "/hidden", "/quiet/hidden", "/thrown", "/dispatched",
							"/keys/*", "/open/**", "/leave", "/error")
					.permitAll()
					.anyRequest()
					.authenticated())
				.formLogin((form) -> form.loginProcessingUrl(login))
				.httpBasic(Customizer.withDefaults())
				.sessionManagement((sessions) -> sessions.sessionFixation().none())
				.csrf(AbstractHttpConfigurer::disable)
				.build();
		}

	}

	static class OwnManager implements AuthenticationManager {

		@Override
		public Authentication authenticate(Authentication authentication) {
			return new Passwords().authenticate(authentication);
		}

	}

	static class FinalMethod implements AuthenticationManager {

		private final Passwords passwords = new Passwords();

		@Override
		public final Authentication authenticate(Authentication authentication) {
			return this.passwords.authenticate(authentication);
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
			if (password.equals("broken")) {
				throw new IllegalStateException("as asked");
			}
			if (password.equals("unreachable")) {
				throw Passwords.<RuntimeException>undeclared(new IOException("as asked"));
			}
			throw password.equals("subclass") ? new BadCredentialsException("as asked") {
			} : new AuthenticationException("as asked") {
			};
		}

		@SuppressWarnings("unchecked")
		private static <X extends Throwable> X undeclared(Throwable failure) throws X {
			throw (X) failure;
		}

		@Override
		public boolean supports(Class<?> authentication) {
			return authentication == UsernamePasswordAuthenticationToken.class;
		}

	}

	@RestController
	static class Controller {

		private final AuthenticationManager hidden = new ProviderManager(new Passwords());

		private final AuthenticationManager manager;

		Controller(AuthenticationManager manager) {
			this.manager = manager;
		}

		@RequestMapping({ "/mine", "/quiet/mine", "/bean/mine", "/open" })
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
			return signIn(this.manager, username, password);
		}

		@PostMapping({ "/hidden", "/quiet/hidden" })
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
		String failed(IllegalArgumentException ex) {
			return "failed";
		}

	}

}
