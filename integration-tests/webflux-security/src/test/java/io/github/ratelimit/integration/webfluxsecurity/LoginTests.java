package io.github.ratelimit.integration.webfluxsecurity;

import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
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

	@AutoClose
	private static NettyServer server;

	@BeforeAll
	static void start() {
		server = NettyServer.start(Application.class, "ratelimit.policies.login.limit=5",
				"ratelimit.policies.login.window=15m", "ratelimit.policies.login.algorithm=sliding-window-log",
				"ratelimit.policies.login.key='all'", "ratelimit.policies.login.charge=authenticationFailed",
				"ratelimit.policies.by-name.limit=5", "ratelimit.policies.by-name.window=15m",
				"ratelimit.policies.by-name.key=folded(parameter('username')) ?: 'no name'",
				"ratelimit.policies.by-name.charge=authenticationFailed", "ratelimit.rules[0].path=/names/login",
				"ratelimit.rules[0].policy=by-name", "ratelimit.rules[1].path=/**", "ratelimit.rules[1].policy=login");
	}

	@BeforeEach
	void reset() {
		server.limiter().policy("login").reset("all");
		CHECKED.set(0);
	}

	@ParameterizedTest
	@CsvSource({ "form, /login", "basic, /mine", "bearer, /mine", "one-time, /login/ott", "form, /quiet/login",
			"basic, /quiet/mine", "form, /users/login", "basic, /users/mine", "token, /token/mine", "form, /sign-in",
			"form, /answered", "form, /hidden", "form, /thrown" })
	void everyFailureCountsWhateverItIsCalledAndNoSuccess(String way, String path) {
		List<String> wrong = List.of("own", "subclass", "broken", "empty", "");
		for (int i = 1; i <= 5; i++) {
			assertThat(authenticate(way, path, "secret")).isIn(200, 302);
			assertThat(remaining()).isEqualTo(6 - i);
			authenticate(way, path, wrong.get(i - 1));
			assertThat(remaining()).as(wrong.get(i - 1)).isEqualTo(5 - i);
		}
		assertThat(authenticate(way, path, "secret")).isEqualTo(429);
	}

	@ParameterizedTest
	@CsvSource({ "GET, /mine, 302", "HEAD, /mine, 302", "GET, /login, 200", "GET, /nowhere, 302", "GET, /open, 200",
			"POST, /open, 200", "GET, /open/nowhere, 404", "GET, /quiet/mine, 302", "GET, /token/mine, 200" })
	void aRequestThatIsNoAttemptDoesNotCount(String method, String path, int status) {
		String[] headers = { "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html" };
		assertThat(server.send(method, path, method.equals("POST") ? "a=b" : "", headers)).isEqualTo(status);
		assertThat(remaining()).isEqualTo(5);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/nowhere", "/quiet/nowhere", "/users/nowhere" })
	void aRightPasswordDoesNotCountWhateverTheAnswer(String path) {
		assertThat(authenticate("basic", path, "secret")).isEqualTo(404);
		assertThat(server.send("HEAD", path, "", "Authorization", basic("ann", "secret"))).isEqualTo(404);
		assertThat(remaining()).isEqualTo(5);
	}

	@Test
	void aWrongPasswordCountsWhicheverTheMethod() {
		for (String method : List.of("HEAD", "GET", "PUT")) {
			assertThat(server.send(method, "/mine", "", "Authorization", basic("ann", "own"))).isEqualTo(401);
		}
		assertThat(remaining()).isEqualTo(2);
	}

	@Test
	void whoDoesNotExistCountsAsWhoDoes() {
		assertThat(server.form("/users/login", "username=nobody&password=secret")).isEqualTo(302);
		assertThat(server.send("GET", "/users/mine", "", "Authorization", basic("nobody", "secret"))).isEqualTo(401);
		assertThat(server.form("/users/login", "")).isEqualTo(302);
		assertThat(remaining()).isEqualTo(2);
	}

	@Test
	void credentialsThatCannotBeReadCount() {
		for (String credentials : List.of("Basic ?", "Bearer ?")) {
			assertThat(
					server.send("GET", "/mine", "", "Authorization", credentials, "X-Requested-With", "XMLHttpRequest"))
				.isEqualTo(401);
		}
		assertThat(remaining()).isEqualTo(3);
	}

	@Test
	void whoIsLoggedInAlreadyGuessesNoFaster() {
		String cookie = server.sendAsync("POST", "/login", "username=ann&password=secret", NettyServer.FORM)
			.join()
			.headers()
			.firstValue("Set-Cookie")
			.orElseThrow()
			.split(";")[0];
		assertThat(server.send("GET", "/mine", "", "Cookie", cookie)).isEqualTo(200);
		assertThat(remaining()).isEqualTo(5);
		server.form("/login", "username=bob&password=own", "Cookie", cookie);
		server.form("/login", "username=bob&password=own", "Authorization", basic("ann", "secret"));
		server.form("/hidden", "username=bob&password=own", "Cookie", cookie);
		assertThat(remaining()).isEqualTo(2);
	}

	@Test
	void sixtyFourWrongPasswordsAtOnceAreFiveFailures() {
		List<CompletableFuture<Integer>> logins = Stream
			.generate(() -> server.sendAsync("GET", "/mine", "", "Authorization", basic("ann", "own"))
				.thenApply((answer) -> answer.statusCode()))
			.limit(64)
			.toList();
		List<Integer> statuses = logins.stream().map(CompletableFuture::join).toList();
		assertThat(statuses).filteredOn((status) -> status == 401).hasSize(5);
		assertThat(statuses).filteredOn((status) -> status == 429).hasSize(59);
		assertThat(remaining()).isZero();
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
		Stream.of("ada", "no name").forEach(server.limiter().policy("by-name")::reset);
	}

	@Test
	void managersAreFoundByTheirClass() {
		assertThat(server.bean(FinalManager.class).authenticate(token("ann", "secret")).block()).isNotNull();
		assertThat(server.bean(UserDetailsRepositoryReactiveAuthenticationManager.class)
			.authenticate(token("ann", "secret"))
			.block()).isNotNull();
	}

	private static int authenticate(String way, String path, String password) {
		return switch (way) {
			case "basic" -> server.send("GET", path, "", "Authorization", basic("ann", password));
			case "bearer" -> server.send("GET", path, "", "Authorization", "Bearer " + password);
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

	private static String basic(String user, String password) {
		return "Basic " + Base64.getEncoder().encodeToString((user + ":" + password).getBytes());
	}

	private static Authentication token(String name, String password) {
		return UsernamePasswordAuthenticationToken.unauthenticated(name, password);
	}

	private static long remaining() {
		server.awaitSettled("login");
		return server.limiter().peek("login", "all").remaining();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
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
			return new PasswordEncoder() {

				@Override
				public String encode(CharSequence password) {
					return password.toString();
				}

				@Override
				public boolean matches(CharSequence password, String encoded) {
					CHECKED.incrementAndGet();
					return encoded.contentEquals(password);
				}

			};
		}

		@Bean
		@org.springframework.context.annotation.Primary
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

		/* Nothing of Spring Security is known by some of these exceptions. */
		static Mono<Authentication> check(Authentication attempt) {
			return switch (String.valueOf(attempt.getCredentials())) {
				case "secret" -> Mono.just(UsernamePasswordAuthenticationToken.authenticated(attempt.getName(), null,
						AuthorityUtils.NO_AUTHORITIES));
				case "subclass" -> Mono.error(new BadCredentialsException("as asked") {
				});
				case "broken" -> Mono.error(new IllegalStateException("as asked"));
				case "empty" -> Mono.empty();
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
					.pathMatchers("/login", "/sign-in", "/answered", "/hidden", "/thrown", "/open/**")
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

	@RestController
	static class Controller {

		private final ReactiveAuthenticationManager manager;

		Controller(ReactiveAuthenticationManager manager) {
			this.manager = manager;
		}

		@RequestMapping({ "/mine", "/quiet/mine", "/users/mine", "/token/mine", "/open" })
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
