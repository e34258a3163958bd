package io.github.ratelimit.integration.webfluxsecurity;

import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.TestServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authentication.DelegatingReactiveAuthenticationManager;
import org.springframework.security.authentication.ReactiveAuthenticationManager;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.web.server.SecurityWebFiltersOrder;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.ReactiveSecurityContextHolder;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.security.web.server.authentication.AuthenticationWebFilter;
import org.springframework.security.web.server.util.matcher.PathPatternParserServerWebExchangeMatcher;
import org.springframework.util.MultiValueMap;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilterChain;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Logins by managers that ask one another, or throw, and by a filter that is configured
 * late.
 */
class LoginManagerTests {

	private static final String RIGHT = TestServer.basic("ann", "secret");

	private static final String[] PREFLIGHT = { "Origin", "https://example.com", "Access-Control-Request-Method",
			"GET" };

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
		server.forget();
	}

	@ParameterizedTest
	@ValueSource(strings = { "wrong", "broken" })
	void aManagerThatThrowsAtOnceIsNoticed(String password) {
		server.form("/answered", form(password)).is(200);
		assertThat(remaining()).isEqualTo(4);
		server.form("/answered", form(password), "Authorization", RIGHT).is(200);
		assertThat(remaining()).isEqualTo(3);
		server.form("/sign-in", form(password)).is(401);
		assertThat(remaining()).isEqualTo(2);
		server.form("/sign-in", form(password), "Authorization", RIGHT).is(401);
		assertThat(remaining()).isEqualTo(1);
		server.form("/answered", form("secret"), "Authorization", RIGHT).is(200);
		assertThat(remaining()).isEqualTo(1);
	}

	@Test
	void aLimitedMethodIsChargedForAManagerThatBreaksWithinIt() {
		for (int i = 0; i < 3; i++) {
			server.form("/called", form("broken"), "Authorization", RIGHT).is(200);
		}
		server.awaitSettled("called");
		assertThat(server.limiter().peek("called", "all").remaining()).isEqualTo(2);
	}

	@Test
	void aManagerIsNoticedThatAnothersMethodOfTwoArgumentsAsks() {
		server.form("/two-arguments", form("broken"), "Authorization", RIGHT).is(200);
		assertThat(remaining()).isEqualTo(4);
	}

	@Test
	void aPreflightIsRejectedHoweverManyManagersAreAsked() {
		for (int i = 0; i < 5; i++) {
			preflight("/asking/mine", "wrong").is(401);
		}
		preflight("/asking/mine", "secret").is(429, "Retry-After: 900");
		assertThat(remaining()).isZero();
	}

	@Test
	void aFilterIsNoticedThatIsConfiguredAfterItWasMade() {
		server.get("/late/mine", "X-Token", "wrong").is(401);
		assertThat(remaining()).isEqualTo(4);
		server.send("POST", "/late/mine", "", "X-Token", "secret").is(302);
		assertThat(remaining()).isEqualTo(4);
		for (int i = 0; i < 4; i++) {
			preflight("/late/mine", "wrong").is(401);
		}
		preflight("/late/mine", "secret").is(429, "Retry-After: 900");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/delegating", "/falling-back" })
	void aRightPasswordDoesNotCountIfAnotherManagerWasAskedFirst(String path) {
		for (int i = 0; i < 5; i++) {
			server.form(path + "/login", form("secret")).is(302, "Location: /");
			server.get(path + "/mine", "Authorization", RIGHT).is(200);
		}
		assertThat(remaining()).isEqualTo(5);

		server.form(path + "/login", form("wrong")).is(302, "Location: /login?error");
		assertThat(remaining()).isEqualTo(4);
		server.form(path + "/login", form("wrong"), "Authorization", RIGHT).is(302, "Location: /login?error");
		assertThat(remaining()).isEqualTo(3);
		server.form(path + "/login", form("secret"), "Authorization", TestServer.basic("ann", "wrong"));
		assertThat(remaining()).isEqualTo(2);
	}

	private static Answer preflight(String path, String token) {
		return server.send("OPTIONS", path, "", TestServer.with(PREFLIGHT, "X-Token", token));
	}

	private static String form(String password) {
		return "username=dora&password=" + password;
	}

	private static long remaining() {
		server.awaitSettled("login");
		return server.limiter().peek("login", "all").remaining();
	}

	private static Mono<Authentication> check(Authentication attempt) {
		if (!"secret".equals(attempt.getCredentials())) {
			return Mono.error(new BadCredentialsException("as asked"));
		}
		return Mono.just(authenticated(attempt));
	}

	private static Authentication authenticated(Authentication attempt) {
		return UsernamePasswordAuthenticationToken.authenticated(attempt.getName(), null,
				AuthorityUtils.NO_AUTHORITIES);
	}

	private static Mono<Authentication> token(ServerWebExchange exchange) {
		return Mono.justOrEmpty(exchange.getRequest().getHeaders().getFirst("X-Token"))
			.map((token) -> UsernamePasswordAuthenticationToken.unauthenticated("dora", token));
	}

	@Configuration(proxyBeanMethods = false)
	@Import(Controller.class)
	static class Application {

		@Bean
		@Primary
		ReactiveAuthenticationManager manager() {
			return LoginManagerTests::check;
		}

		@Bean
		ThrowingManager throwing() {
			return new ThrowingManager();
		}

		@Bean
		NobodysManager nobodys() {
			return new NobodysManager();
		}

		@Bean
		PairManager pairs(ThrowingManager throwing) {
			return new PairManager(throwing);
		}

		@Bean
		Calls calls(ThrowingManager throwing) {
			return new Calls(throwing);
		}

		@Bean
		AuthenticationWebFilter late(ReactiveAuthenticationManager manager) {
			AuthenticationWebFilter filter = new AuthenticationWebFilter(
					(ReactiveAuthenticationManager) LoginManagerTests::check);
			filter.setServerAuthenticationConverter((exchange) -> Mono.empty());
			return filter;
		}

		@Bean
		@Order(9)
		SecurityWebFilterChain others(ServerHttpSecurity http) {
			return chain(http, "/**", "/login");
		}

		private static SecurityWebFilterChain chain(ServerHttpSecurity http, String paths, String login) {
			return http.securityMatcher(new PathPatternParserServerWebExchangeMatcher(paths))
				.formLogin((form) -> form
					.requiresAuthenticationMatcher(new PathPatternParserServerWebExchangeMatcher(login)))
				.httpBasic(Customizer.withDefaults())
				.csrf(ServerHttpSecurity.CsrfSpec::disable)
				.build();
		}

		/* Asks the second manager whatever has become of the first. */
		@Bean
		@Order(1)
		SecurityWebFilterChain asking(ServerHttpSecurity http, NobodysManager first,
				ReactiveAuthenticationManager second) {
			ReactiveAuthenticationManager both = either(first, second);
			return http.securityMatcher(new PathPatternParserServerWebExchangeMatcher("/asking/**"))
				.addFilterAt((exchange, chain) -> ask(both, exchange, chain), SecurityWebFiltersOrder.AUTHENTICATION)
				.csrf(ServerHttpSecurity.CsrfSpec::disable)
				.build();
		}

		private static ReactiveAuthenticationManager either(ReactiveAuthenticationManager first,
				ReactiveAuthenticationManager second) {
			DelegatingReactiveAuthenticationManager both = new DelegatingReactiveAuthenticationManager(first, second);
			both.setContinueOnError(true);
			return both;
		}

		private static Mono<Void> ask(ReactiveAuthenticationManager manager, ServerWebExchange exchange,
				WebFilterChain chain) {
			return token(exchange).flatMap(manager::authenticate)
				.flatMap((user) -> chain.filter(exchange)
					.contextWrite(ReactiveSecurityContextHolder.withAuthentication(user)))
				.onErrorResume(AuthenticationException.class, (ex) -> answer(exchange, HttpStatus.UNAUTHORIZED));
		}

		private static Mono<Void> answer(ServerWebExchange exchange, HttpStatus status) {
			ServerHttpResponse response = exchange.getResponse();
			response.setStatusCode(status);
			return response.setComplete();
		}

		@Bean
		@Order(2)
		SecurityWebFilterChain lateChain(ServerHttpSecurity http, AuthenticationWebFilter late) {
			late.setServerAuthenticationConverter(LoginManagerTests::token);
			late.setAuthenticationFailureHandler(
					(exchange, ex) -> answer(exchange.getExchange(), HttpStatus.UNAUTHORIZED));
			late.setAuthenticationSuccessHandler((exchange, user) -> answer(exchange.getExchange(), HttpStatus.FOUND));
			return http.securityMatcher(new PathPatternParserServerWebExchangeMatcher("/late/**"))
				.addFilterAt(late, SecurityWebFiltersOrder.AUTHENTICATION)
				.csrf(ServerHttpSecurity.CsrfSpec::disable)
				.build();
		}

		@Bean
		@Order(3)
		SecurityWebFilterChain delegating(ServerHttpSecurity http, NobodysManager first,
				ReactiveAuthenticationManager second) {
			ReactiveAuthenticationManager both = either(first, second);
			return chain(http.authenticationManager(both), "/delegating/**", "/delegating/login");
		}

		@Bean
		@Order(4)
		SecurityWebFilterChain fallingBack(ServerHttpSecurity http, NobodysManager first,
				ReactiveAuthenticationManager second) {
			http.authenticationManager((attempt) -> first.authenticate(attempt)
				.onErrorResume(AuthenticationException.class, (ex) -> second.authenticate(attempt)));
			return chain(http, "/falling-back/**", "/falling-back/login");
		}

	}

	static class ThrowingManager implements ReactiveAuthenticationManager {

		@Override
		public Mono<Authentication> authenticate(Authentication authentication) {
			return switch (String.valueOf(authentication.getCredentials())) {
				case "secret" -> Mono.just(authenticated(authentication));
				case "broken" -> throw new IllegalStateException("as asked");
				default -> throw new BadCredentialsException("as asked");
			};
		}

	}

	/* Has a method of its own that asks another manager. */
	static class PairManager implements ReactiveAuthenticationManager {

		private final ReactiveAuthenticationManager manager;

		PairManager(ReactiveAuthenticationManager manager) {
			this.manager = manager;
		}

		@Override
		public Mono<Authentication> authenticate(Authentication authentication) {
			return this.manager.authenticate(authentication);
		}

		public Mono<Authentication> authenticate(String username, String password) {
			return this.manager.authenticate(UsernamePasswordAuthenticationToken.unauthenticated(username, password));
		}

	}

	static class Calls {

		private final ReactiveAuthenticationManager manager;

		Calls(ReactiveAuthenticationManager manager) {
			this.manager = manager;
		}

		@RateLimited(name = "called", limit = 5, window = "15m", key = "'all'", charge = "authenticationFailed")
		public Mono<Boolean> isKnown(Authentication credentials) {
			return this.manager.authenticate(credentials)
				.hasElement()
				.onErrorReturn(IllegalStateException.class, false);
		}

	}

	/* Knows nobody. */
	static class NobodysManager implements ReactiveAuthenticationManager {

		@Override
		public Mono<Authentication> authenticate(Authentication authentication) {
			return Mono.error(new BadCredentialsException("as asked"));
		}

	}

	@RestController
	static class Controller {

		private final ThrowingManager throwing;

		private final PairManager pairs;

		private final Calls calls;

		Controller(ThrowingManager throwing, PairManager pairs, Calls calls) {
			this.throwing = throwing;
			this.pairs = pairs;
			this.calls = calls;
		}

		@PostMapping("/called")
		Mono<String> called(ServerWebExchange exchange) {
			return exchange.getFormData()
				.map(Controller::credentials)
				.flatMap(this.calls::isKnown)
				.map(String::valueOf);
		}

		@PostMapping("/two-arguments")
		Mono<String> twoArguments(ServerWebExchange exchange) {
			return exchange.getFormData()
				.flatMap((form) -> this.pairs.authenticate(form.getFirst("username"), form.getFirst("password")))
				.map(Authentication::getName)
				.onErrorReturn("wrong");
		}

		@PostMapping("/answered")
		Mono<String> answered(ServerWebExchange exchange) {
			return authenticate(exchange).onErrorReturn("wrong");
		}

		@PostMapping("/sign-in")
		Mono<String> signIn(ServerWebExchange exchange) {
			return authenticate(exchange).onErrorMap((ex) -> new IllegalArgumentException(ex.getMessage()));
		}

		private Mono<String> authenticate(ServerWebExchange exchange) {
			return exchange.getFormData()
				.map(Controller::credentials)
				.flatMap(this.throwing::authenticate)
				.map(Authentication::getName);
		}

		private static Authentication credentials(MultiValueMap<String, String> form) {
			return UsernamePasswordAuthenticationToken.unauthenticated(form.getFirst("username"),
					form.getFirst("password"));
		}

		@ExceptionHandler
		@ResponseStatus(HttpStatus.UNAUTHORIZED)
		String failed(IllegalArgumentException ex) {
			return "failed";
		}

		@RequestMapping("/*/mine")
		Mono<String> mine() {
			return Mono.just("mine");
		}

	}

}
