package io.github.ratelimit.integration.webfluxsecurity;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.SecuredUsers;
import io.github.ratelimit.testserver.TestServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authentication.ReactiveAuthenticationManager;
import org.springframework.security.authentication.UserDetailsRepositoryReactiveAuthenticationManager;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.authentication.ott.GenerateOneTimeTokenRequest;
import org.springframework.security.authentication.ott.reactive.InMemoryReactiveOneTimeTokenService;
import org.springframework.security.authentication.ott.reactive.ReactiveOneTimeTokenService;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.web.server.SecurityWebFiltersOrder;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.userdetails.ReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.oauth2.jwt.BadJwtException;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.ReactiveJwtDecoder;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.security.web.server.authentication.AuthenticationWebFilter;
import org.springframework.security.web.server.util.matcher.PathPatternParserServerWebExchangeMatcher;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Logins of which only the failures count, with a rule for all paths: whatever the way to
 * log in, whatever the exception is called, and whichever manager is asked.
 */
class LoginTests {

	private static final AtomicInteger CHECKED = new AtomicInteger();

	private static final String RIGHT = TestServer.basic("ann", "secret");

	private static final String WRONG = TestServer.basic("ann", "own");

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.startSecured(Application.class,
				"login: 5 per 15m; algorithm=sliding-window-log; key='all'; charge=authenticationFailed",
				"by-name: 5 per 15m; key=folded(parameter('username')) ?: 'no name'; charge=authenticationFailed",
				"/names/login -> by-name", "/** -> login");
	}

	@BeforeEach
	void reset() {
		server.forget();
		CHECKED.set(0);
	}

	@ParameterizedTest
	@CsvSource({ "form, /login", "basic, /mine", "bearer, /mine", "one-time, /login/ott", "form, /quiet/login",
			"basic, /quiet/mine", "form, /users/login", "basic, /users/mine", "token, /token/mine", "form, /sign-in",
			"form, /answered", "form, /hidden", "form, /thrown", "form, /looked-up", "form, /unauthenticated" })
	void everyFailureCountsWhateverItIsCalledAndNoSuccess(String way, String path) {
		List<String> wrong = List.of("own", "subclass", "broken", "empty", "");
		for (int i = 1; i <= 5; i++) {
			assertThat(authenticate(way, path, "secret").status()).isIn(200, 302);
			assertThat(remaining()).isEqualTo(6 - i);
			authenticate(way, path, wrong.get(i - 1));
			assertThat(remaining()).as(wrong.get(i - 1)).isEqualTo(5 - i);
		}
		authenticate(way, path, "secret").is(429, "Retry-After: 900");
	}

	@ParameterizedTest
	@CsvSource({ "GET, /mine, 302", "HEAD, /mine, 302", "GET, /login, 200", "GET, /nowhere, 302", "GET, /open, 200",
			"POST, /open, 200", "GET, /open/nowhere, 404", "GET, /quiet/mine, 302", "GET, /token/mine, 200" })
	void aRequestThatIsNoAttemptDoesNotCount(String method, String path, int status) {
		String[] headers = { "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html" };
		server.send(method, path, method.equals("POST") ? "a=b" : "", headers).is(status);
		assertThat(remaining()).isEqualTo(5);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/nowhere", "/quiet/nowhere", "/users/nowhere" })
	void aRightPasswordDoesNotCountWhateverTheAnswer(String path) {
		authenticate("basic", path, "secret").is(404);
		server.send("HEAD", path, "", "Authorization", RIGHT).is(404);
		assertThat(remaining()).isEqualTo(5);
	}

	@Test
	void aWrongPasswordCountsWhicheverTheMethod() {
		for (String method : List.of("HEAD", "GET", "PUT")) {
			server.send(method, "/mine", "", "Authorization", WRONG).is(401);
		}
		assertThat(remaining()).isEqualTo(2);
	}

	@Test
	void whoDoesNotExistCountsAsWhoDoes() {
		server.form("/users/login", "username=nobody&password=secret").is(302);
		server.get("/users/mine", "Authorization", TestServer.basic("nobody", "secret")).is(401);
		server.form("/users/login", "").is(302);
		assertThat(remaining()).isEqualTo(2);
	}

	@Test
	void credentialsThatCannotBeReadCount() {
		for (String credentials : List.of("Basic ?", "Bearer ?")) {
			server.get("/mine", "Authorization", credentials, "X-Requested-With", "XMLHttpRequest").is(401);
		}
		assertThat(remaining()).isEqualTo(3);
	}

	@Test
	void whoIsLoggedInAlreadyGuessesNoFaster() {
		String cookie = server.form("/login", "username=ann&password=secret").field("Set-Cookie").split(";")[0];
		server.get("/mine", "Cookie", cookie).is(200);
		assertThat(remaining()).isEqualTo(5);
		server.form("/login", "username=bob&password=own", "Cookie", cookie);
		server.form("/login", "username=bob&password=own", "Authorization", RIGHT);
		server.form("/hidden", "username=bob&password=own", "Cookie", cookie);
		server.form("/hidden", "username=bob&password=own", "Cookie", cookie, "Authorization", "any thing");
		assertThat(remaining()).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "own", "empty", "broken" })
	void aWrongPasswordCountsBesideARightOneWhateverTheManagerMakesOfIt(String password) {
		server.form("/login", "username=bob&password=" + password, "Authorization", RIGHT);
		assertThat(remaining()).isEqualTo(4);
		server.form("/answered", "username=bob&password=" + password, "Authorization", RIGHT);
		assertThat(remaining()).isEqualTo(3);
		server.form("/sign-in", "username=bob&password=" + password, "Authorization", RIGHT);
		assertThat(remaining()).isEqualTo(2);
	}

	@ParameterizedTest
	@ValueSource(strings = { "own", "empty", "broken" })
	void aWrongTokenCountsWithAMethodThatReadsWhateverTheManagerMakesOfIt(String token) {
		server.get("/token/mine", "X-Token", token);
		assertThat(remaining()).isEqualTo(4);
		server.send("OPTIONS", "/token/mine", "", "X-Token", token, "Origin", "https://example.com",
				"Access-Control-Request-Method", "GET");
		assertThat(remaining()).isEqualTo(3);
	}

	@ParameterizedTest
	@CsvSource({ "form, /next/login", "basic, /next/mine", "form, /next" })
	void aRightPasswordDoesNotCountIfTheFirstManagerKnowsNobodyOfThatName(String way, String path) {
		for (int i = 0; i < 6; i++) {
			assertThat(authenticate(way, path, "unknown-there").status()).isIn(200, 302);
		}
		assertThat(remaining()).isEqualTo(5);
		authenticate(way, path, "empty");
		assertThat(remaining()).isEqualTo(4);
	}

	@Test
	void aRightPasswordBesideThatOfNobodyDoesNotHideIt() {
		server.form("/both", "username=bob&password=empty").is(200);
		assertThat(remaining()).isEqualTo(4);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			                 | username=ada&password=wrong
			?username=%d     | username=ada&password=wrong
			?username=ada    | password=wrong&username=%%20ADA&x=%d
			?username=x%d    | username=ada&username=bob%d&password=wrong
			                 | password=wrong
			                 | username=ada&password=%%zz%d
			""")
	void fiveGuessesAreCheckedWhateverTheForm(String query, String form) {
		for (int i = 0; i < 20; i++) {
			server.limiter().policy("login").reset("all");
			server.form("/names/login" + ((query != null) ? query.formatted(i, i) : ""), form.formatted(i, i));
		}
		assertThat(CHECKED).hasValueLessThanOrEqualTo(5);
	}

	@Test
	void managersAreFoundByTheirClass() {
		assertThat(server.bean(FinalManager.class).authenticate(token("ann", "secret")).block()).isNotNull();
		assertThat(server.bean(UserDetailsRepositoryReactiveAuthenticationManager.class)
			.authenticate(token("ann", "secret"))
			.block()).isNotNull();
		assertThat(server.bean(PartlyFinalManager.class).authenticate(token("ann", "secret")).block()).isNotNull();
	}

	private static Answer authenticate(String way, String path, String password) {
		return switch (way) {
			case "basic" -> server.get(path, "Authorization", TestServer.basic("ann", password));
			case "bearer" -> server.get(path, "Authorization", "Bearer " + password);
			case "token" -> server.send("POST", path, "", "X-Token", password.isEmpty() ? "wrong" : password);
			case "one-time" -> server.form(path, "token=" + (password.equals("secret") ? oneTimeToken() : password));
			default -> server.form(path, "username=ann&password=" + password, "Accept", "text/html");
		};
	}

	private static String oneTimeToken() {
		return server.bean(ReactiveOneTimeTokenService.class)
			.generate(new GenerateOneTimeTokenRequest("ann"))
			.block()
			.getTokenValue();
	}

	private static Authentication token(String name, String password) {
		return UsernamePasswordAuthenticationToken.unauthenticated(name, password);
	}

	private static long remaining() {
		server.awaitSettled("login");
		return server.limiter().peek("login", "all").remaining();
	}

	@Configuration(proxyBeanMethods = false)
	@Import(Controller.class)
	static class Application {

		@Bean
		ReactiveJwtDecoder jwtDecoder() {
			return (token) -> switch (token) {
				case "secret" -> Mono.just(Jwt.withTokenValue(token).header("alg", "none").subject("ann").build());
				case "broken" -> Mono.error(new IllegalStateException("as asked"));
				case "empty" -> Mono.empty();
				default -> Mono.error(new BadJwtException("as asked"));
			};
		}

		@Bean
		ReactiveOneTimeTokenService oneTimeTokens() {
			return new InMemoryReactiveOneTimeTokenService();
		}

		@Bean
		ReactiveUserDetailsService userDetails() {
			return (name) -> name.isEmpty() || name.equals("nobody") ? Mono.empty()
					: Mono.just(User.withUsername(name).password("secret").build());
		}

		@Bean
		PasswordEncoder passwords() {
			return new SecuredUsers.PlainPasswords() {

				@Override
				public boolean matches(CharSequence password, String encoded) {
					CHECKED.incrementAndGet();
					return super.matches(password, encoded);
				}

			};
		}

		@Bean
		@Primary
		ReactiveAuthenticationManager manager() {
			return Application::check;
		}

		@Bean
		UserDetailsRepositoryReactiveAuthenticationManager ofUsers(ReactiveUserDetailsService users,
				PasswordEncoder passwords) {
			UserDetailsRepositoryReactiveAuthenticationManager manager = new UserDetailsRepositoryReactiveAuthenticationManager(
					users);
			manager.setPasswordEncoder(passwords);
			return manager;
		}

		@Bean
		FinalManager finalManager() {
			return new FinalManager();
		}

		@Bean
		PartlyFinalManager partlyFinalManager() {
			return new PartlyFinalManager();
		}

		@Bean
		LookingUpManager lookingUp() {
			return new LookingUpManager();
		}

		@Bean
		NextManager nextManager() {
			return new NextManager();
		}

		/* Nothing of Spring Security is known by some of these exceptions. */
		static Mono<Authentication> check(Authentication attempt) {
			return switch (String.valueOf(attempt.getCredentials())) {
				case "secret" -> Mono.just(UsernamePasswordAuthenticationToken.authenticated(attempt.getName(), null,
						AuthorityUtils.NO_AUTHORITIES));
				case "subclass" -> Mono.error(new BadCredentialsException("as asked") {
				});
				case "broken" -> Mono.error(new IllegalStateException("as asked"));
				case "empty", "unknown-there" -> Mono.empty();
				default -> Mono.error(new AuthenticationException("as asked") {
				});
			};
		}

		@Bean
		@Order(1)
		SecurityWebFilterChain quiet(ServerHttpSecurity http) {
			return chain(http, "/quiet", Application::check);
		}

		@Bean
		@Order(2)
		SecurityWebFilterChain users(ServerHttpSecurity http,
				UserDetailsRepositoryReactiveAuthenticationManager manager) {
			return chain(http, "/users", manager);
		}

		@Bean
		@Order(3)
		SecurityWebFilterChain names(ServerHttpSecurity http,
				UserDetailsRepositoryReactiveAuthenticationManager manager) {
			return chain(http, "/names", manager);
		}

		private static SecurityWebFilterChain chain(ServerHttpSecurity http, String path,
				ReactiveAuthenticationManager manager) {
			http.securityMatcher(new PathPatternParserServerWebExchangeMatcher(path + "/**"))
				.authenticationManager(manager);
			return chain(http, path + "/login");
		}

		/* Who has the wrong token goes on as nobody. */
		@Bean
		@Order(4)
		SecurityWebFilterChain token(ServerHttpSecurity http) {
			AuthenticationWebFilter filter = new AuthenticationWebFilter(
					(ReactiveAuthenticationManager) Application::check);
			filter.setServerAuthenticationConverter(
					(exchange) -> Mono.justOrEmpty(exchange.getRequest().getHeaders().getFirst("X-Token"))
						.map((token) -> LoginTests.token("ann", token)));
			filter
				.setAuthenticationFailureHandler((exchange, ex) -> exchange.getChain().filter(exchange.getExchange()));
			return http.securityMatcher(new PathPatternParserServerWebExchangeMatcher("/token/**"))
				.addFilterAt(filter, SecurityWebFiltersOrder.AUTHENTICATION)
				.csrf(ServerHttpSecurity.CsrfSpec::disable)
				.build();
		}

		@Bean
		@Order(5)
		SecurityWebFilterChain next(ServerHttpSecurity http, ReactiveAuthenticationManager manager) {
			return chain(http, "/next",
					(attempt) -> manager.authenticate(attempt).switchIfEmpty(NextManager.check(attempt)));
		}

		@Bean
		@Order(6)
		SecurityWebFilterChain others(ServerHttpSecurity http) {
			return chain(
					http.oauth2ResourceServer((server) -> server.jwt(Customizer.withDefaults()))
						.oneTimeTokenLogin((login) -> login
							.tokenGenerationSuccessHandler((exchange, token) -> exchange.getResponse().setComplete())),
					"/login");
		}

		private static SecurityWebFilterChain chain(ServerHttpSecurity http, String login) {
			return http
				.authorizeExchange((exchanges) -> exchanges
					.pathMatchers("/login", "/sign-in", "/answered", "/hidden", "/thrown", "/looked-up",
							"/unauthenticated", "/both", "/next", "/open/**")
					.permitAll()
					.anyExchange()
					.authenticated())
				.formLogin((form) -> {
					if (!login.equals("/login")) {
						form.requiresAuthenticationMatcher(new PathPatternParserServerWebExchangeMatcher(login));
					}
				})
				.httpBasic(Customizer.withDefaults())
				.csrf(ServerHttpSecurity.CsrfSpec::disable)
				.build();
		}

	}

	static final class FinalManager implements ReactiveAuthenticationManager {

		@Override
		public Mono<Authentication> authenticate(Authentication authentication) {
			return Application.check(authentication);
		}

	}

	static class PartlyFinalManager implements ReactiveAuthenticationManager {

		private final ReactiveAuthenticationManager manager = Application::check;

		@Override
		public final Mono<Authentication> authenticate(Authentication authentication) {
			return this.manager.authenticate(authentication);
		}

	}

	/* Is asked after one that knows nobody of the name. */
	static class NextManager implements ReactiveAuthenticationManager {

		@Override
		public Mono<Authentication> authenticate(Authentication authentication) {
			return check(authentication);
		}

		static Mono<Authentication> check(Authentication attempt) {
			if (!"unknown-there".equals(attempt.getCredentials())) {
				return Mono.empty();
			}
			return Mono.just(UsernamePasswordAuthenticationToken.authenticated(attempt.getName(), null,
					AuthorityUtils.NO_AUTHORITIES));
		}

	}

	/* Gives back what it cannot authenticate, and has another method besides. */
	static class LookingUpManager implements ReactiveAuthenticationManager {

		@Override
		public Mono<Authentication> authenticate(Authentication authentication) {
			return Application.check(authentication).onErrorReturn(authentication).defaultIfEmpty(authentication);
		}

		public Mono<String> password(String name) {
			return Mono.just(name.isEmpty() ? "" : "secret");
		}

	}

	@RestController
	static class Controller {

		private final ReactiveAuthenticationManager manager;

		private final LookingUpManager lookingUp;

		private final NextManager next;

		Controller(ReactiveAuthenticationManager manager, LookingUpManager lookingUp, NextManager next) {
			this.manager = manager;
			this.lookingUp = lookingUp;
			this.next = next;
		}

		@PostMapping("/next")
		Mono<String> next(ServerWebExchange exchange) {
			return signIn((attempt) -> this.manager.authenticate(attempt)
				.switchIfEmpty(Mono.defer(() -> this.next.authenticate(attempt))), exchange);
		}

		@PostMapping("/both")
		Mono<String> both(ServerWebExchange exchange) {
			return exchange.getFormData()
				.map((form) -> token(form.getFirst("username"), form.getFirst("password")))
				.flatMap(this.manager::authenticate)
				.then(Mono.defer(() -> this.manager.authenticate(token("ann", "secret"))))
				.map(Authentication::getName);
		}

		@PostMapping("/looked-up")
		Mono<String> lookedUp(ServerWebExchange exchange) {
			return exchange.getFormData()
				.flatMap((form) -> this.lookingUp.password(form.getFirst("username"))
					.filter((password) -> password.equals(form.getFirst("password"))))
				.map((right) -> "ann")
				.switchIfEmpty(Mono.error(new IllegalArgumentException("a wrong password")));
		}

		@PostMapping("/unauthenticated")
		Mono<String> unauthenticated(ServerWebExchange exchange) {
			return exchange.getFormData()
				.map((form) -> token(form.getFirst("username"), form.getFirst("password")))
				.flatMap(this.lookingUp::authenticate)
				.filter(Authentication::isAuthenticated)
				.map(Authentication::getName)
				.switchIfEmpty(Mono.error(new IllegalArgumentException("a wrong password")));
		}

		@RequestMapping({ "/mine", "/quiet/mine", "/users/mine", "/next/mine", "/token/mine", "/open" })
		Mono<String> mine() {
			return Mono.just("mine");
		}

		@PostMapping("/sign-in")
		Mono<String> signIn(ServerWebExchange exchange) {
			return signIn(this.manager, exchange).onErrorMap(AuthenticationException.class,
					(ex) -> new IllegalArgumentException(ex.getMessage()));
		}

		@PostMapping("/answered")
		Mono<String> answered(ServerWebExchange exchange) {
			return signIn(this.manager, exchange).onErrorReturn(AuthenticationException.class, "wrong");
		}

		@PostMapping("/hidden")
		Mono<String> hidden(ServerWebExchange exchange) {
			return signIn(Application::check, exchange).onErrorMap(AuthenticationException.class,
					(ex) -> new IllegalArgumentException(ex.getMessage()));
		}

		@PostMapping("/thrown")
		Mono<String> thrown(ServerWebExchange exchange) {
			return signIn(Application::check, exchange);
		}

		private static Mono<String> signIn(ReactiveAuthenticationManager manager, ServerWebExchange exchange) {
			return exchange.getFormData()
				.map((form) -> token(form.getFirst("username"), form.getFirst("password")))
				.flatMap(manager::authenticate)
				.map(Authentication::getName)
				.switchIfEmpty(Mono.error(new IllegalArgumentException("nobody knows")));
		}

		@ExceptionHandler
		@ResponseStatus(HttpStatus.UNAUTHORIZED)
		String failed(IllegalArgumentException ex) {
			return "failed";
		}

	}

}
