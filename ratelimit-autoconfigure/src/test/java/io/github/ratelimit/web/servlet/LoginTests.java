package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFinding;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.Registrations;
import io.github.ratelimit.testserver.SecuredUsers;
import io.github.ratelimit.testserver.TestServer;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.ResponseEntity;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.util.matcher.NegatedRequestMatcher;
import org.springframework.security.web.util.matcher.RequestHeaderRequestMatcher;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Limits by the name that somebody logs in with, by the session and by the user, however
 * the form is sent.
 */
class LoginTests {

	private static final AtomicInteger CHECKED = new AtomicInteger();

	private static final AtomicInteger READING = new AtomicInteger();

	private static final String MULTIPART = "multipart/form-data; boundary=x";

	private static final String ADDRESS = "address:127.0.0.1";

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.startSecured(Application.class, "ratelimit.client-address.trusted-proxies=127.0.0.1",
				"ratelimit.client-address.header=x-forwarded-for", "login: 3 per 15m",
				"charged: 5 per 15m; algorithm=sliding-window-log; charge=authenticationFailed",
				"nameless: 5 per 15m; charge=authenticationFailed", "one: 5 per 1d; key='all'; charge=status == 401",
				"every: 5 per 1d; key='all'; charge=status >= 400",
				"/login -> login; methods=POST; key=parameter('username')",
				"/charged/login -> charged; methods=POST; key=folded(parameter('username')) ?: 'no name'",
				"/other -> nameless; key=parameter('username').trim()", "/one -> one", "/every -> every");
	}

	@BeforeEach
	void forget() {
		server.forget();
		CHECKED.set(0);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/login", "/sign-in" })
	void guessedPasswordsCountByName(String path) {
		for (int i = 0; i < 3; i++) {
			assertThat(login(path, "ann", "guess").status()).isNotEqualTo(429);
		}
		login(path, "ann", "secret").is(429);
		assertThat(login(path, "bob", "secret").status()).isLessThan(400);
	}

	@ParameterizedTest
	@ValueSource(strings = { "application/x-www-form-urlencoded", MULTIPART })
	void theFormIsStillThereForSpringSecurity(String type) {
		String form = type.equals(MULTIPART) ? parts("ann", "secret") : "username=ann&password=secret";
		Answer response = server.send("POST", "/charged/login", form, "Content-Type", type);
		assertThat(response.is(302).field("Location")).doesNotContain("error");
	}

	@Test
	void aLongNameIsBoundedAndAForgedKeyIsNobodysElse() {
		long before = server.limiter().policy("login").keys();
		login("/login", "x".repeat(10_000), "guess").is(302);
		assertThat(server.limiter().policy("login").keys()).isLessThanOrEqualTo(before + 1);
		login("/login", ADDRESS, "guess").is(302);
		assertThat(server.limiter().peek("login", ADDRESS).remaining()).isEqualTo(3);
	}

	@Test
	void aLoginWithoutANameOrThatCannotBeReadIsTheClientsAddress() {
		server.form("/login", "password=guess");
		server.form("/login", "username=%zz&password=guess");
		server.send("POST", "/login", "{}", "Content-Type", "application/json");
		assertThat(server.limiter().peek("login", ADDRESS).remaining()).isZero();
		server.form("/login", "").is(429);
		login("/login", "ann", "secret").is(302);
	}

	@Test
	void principalIsTheSameKeyInEachSession() {
		assertThat(server.get("/mine", "Cookie", session()).remaining()).isEqualTo(1);
		assertThat(server.get("/mine", "Cookie", session()).remaining()).isZero();
		server.get("/mine", "Cookie", session()).is(429);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			form            |                 | username=ada&password=wrong
			form            | ?username=ada   | password=wrong
			form            | ?username=%20ADA | username=bob&password=wrong
			multipart       |                 | ada
			multipart       | ?username=ada   | bob
			form            |                 | password=wrong
			form            |                 | username=ada&password=wrong&x=%zz
			form            | ?username=ada   | x=%zz&password=wrong
			""")
	void fiveGuessesAreCheckedWhateverTheFormAndTheAddress(String form, String query, String body) {
		boolean multipart = form.equals("multipart");
		String path = "/charged/login" + ((query != null) ? query : "");
		for (int i = 0; i < 100; i++) {
			server.send("POST", path, multipart ? parts(body, "wrong") : body, "X-Forwarded-For", "203.0.113." + i % 20,
					"Content-Type", multipart ? MULTIPART : "application/x-www-form-urlencoded");
		}
		assertThat(CHECKED).hasValue(5);
	}

	@Test
	void keyThatLeavesTheLoginToTheAddressIsFound() {
		assertThat(found(server, FindingCode.NAMELESS_LOGIN)).containsExactly("nameless");
	}

	@Test
	void bodyThatNeverEndsReservesNothing() throws Exception {
		List<Socket> open = new ArrayList<>();
		int before = READING.get();
		try {
			for (int i = 0; i < 8; i++) {
				open.add(begin("/sign-in/ada", "application/json", "{\"password\":"));
				open.add(begin("/charged/login?username=ada", "application/x-www-form-urlencoded", "password="));
			}
			TestServer.await(() -> READING.get() == before + open.size());
			server.send("POST", "/sign-in/ada", "{}", "Content-Type", "application/json").is(200);
			TestServer.await(() -> server.limiter().peek("by name", "ada").remaining() == 1);
			assertThat(server.limiter().peek("charged", "ada").remaining()).isEqualTo(5);
		}
		finally {
			for (Socket socket : open) {
				socket.close();
			}
		}
	}

	@Test
	void whoAcceptsNoTextGuessesForFreeWhereOneStatusIsCharged() {
		assertThat(IntStream.range(0, 20).map((i) -> guess("one"))).containsOnly(406);
		assertThat(IntStream.range(0, 6).map((i) -> guess("every"))).containsExactly(406, 406, 406, 406, 406, 429);
		assertThat(found(server, FindingCode.ONE_STATUS_CHARGED)).containsExactly("one");
	}

	@ParameterizedTest
	@CsvSource(nullValues = "-", textBlock = """
			authenticationFailed, /login,    -,                  3
			authenticationFailed, /**,       -,                  0
			authenticationFailed, /**,       methods=POST,       3
			authenticationFailed, /{*path},  -,                  0
			authenticationFailed, /api/**,   -,                  1
			authenticationFailed, /**,       except=/api/**,     2
			authenticationFailed, /**,       except=/api/health, 0
			status >= 400,        /login,    -,                  0
			""")
	void eachPatternThatNoRuleForLoginsCoversIsFound(String charge, String path, String part, int found) {
		String more = (part != null) ? part : "methods=";
		try (TestServer server = TestServer.startSecured(BasicLogins.class, "login: 5 per 1d; charge=" + charge,
				path + " -> login; " + more)) {
			assertThat(found(server, FindingCode.UNLIMITED_BASIC)).hasSize(found);
		}
	}

	private static int guess(String policy) {
		int status = server.form("/" + policy, "password=guess", "Accept", "image/png").status();
		server.awaitSettled(policy);
		return status;
	}

	private static List<String> found(TestServer server, FindingCode code) {
		return server.bean(RateLimitFindings.class)
			.list()
			.stream()
			.filter((finding) -> finding.code() == code)
			.map(RateLimitFinding::policy)
			.toList();
	}

	private static Answer login(String path, String name, String password) {
		return server.form(path, "username=" + name + "&password=" + password);
	}

	private static String session() {
		return login("/charged/login", "ann", "secret").field("Set-Cookie").split(";")[0];
	}

	private static Socket begin(String path, String type, String body) throws IOException {
		return server.begin("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + type
				+ "\r\nContent-Length: 1000\r\n\r\n" + body);
	}

	private static String parts(String name, String password) {
		return "--x\r\nContent-Disposition: form-data; name=\"username\"\r\n\r\n" + name
				+ "\r\n--x\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n" + password + "\r\n--x--\r\n";
	}

	@Configuration(proxyBeanMethods = false)
	@Import(Controller.class)
	static class Application {

		@Bean
		@Order(1)
		SecurityFilterChain charged(HttpSecurity http) {
			return chain(http.securityMatcher("/charged/**"), "/charged/login");
		}

		@Bean
		SecurityFilterChain others(HttpSecurity http) {
			return chain(http, "/login");
		}

		private static SecurityFilterChain chain(HttpSecurity http, String login) {
			return http
				.authorizeHttpRequests(
						(requests) -> requests.requestMatchers("/mine").authenticated().anyRequest().permitAll())
				.formLogin((form) -> form.loginProcessingUrl(login))
				.csrf(AbstractHttpConfigurer::disable)
				.build();
		}

		@Bean
		FilterRegistrationBean<?> reading() {
			return Registrations.filter(Ordered.HIGHEST_PRECEDENCE,
					(request, response, chain) -> chain.doFilter(new Reading(request), response));
		}

		@Bean
		UserDetailsService users() {
			return (name) -> User.withUsername("user " + name).password("secret").build();
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

	}

	@Configuration(proxyBeanMethods = false)
	static class BasicLogins {

		@Bean
		@Order(1)
		SecurityFilterChain api(HttpSecurity http) {
			return http.securityMatcher("/api/**").httpBasic(Customizer.withDefaults()).build();
		}

		@Bean
		@Order(2)
		SecurityFilterChain several(HttpSecurity http) {
			return http.securityMatcher("/reports/{id}", "/api/{version}/**")
				.httpBasic(Customizer.withDefaults())
				.build();
		}

		@Bean
		@Order(3)
		SecurityFilterChain unknown(HttpSecurity http) {
			return http.securityMatcher(new NegatedRequestMatcher(new RequestHeaderRequestMatcher("X-Any")))
				.httpBasic(Customizer.withDefaults())
				.build();
		}

		@Bean
		@Order(4)
		SecurityFilterChain form(HttpSecurity http) {
			return http.formLogin(Customizer.withDefaults()).build();
		}

	}

	/**
	 * Notes when the body is first read.
	 */
	static final class Reading extends HttpServletRequestWrapper {

		private boolean noted;

		Reading(HttpServletRequest request) {
			super(request);
		}

		@Override
		public ServletInputStream getInputStream() throws IOException {
			note();
			return super.getInputStream();
		}

		@Override
		public String getParameter(String name) {
			note();
			return super.getParameter(name);
		}

		private void note() {
			if (!this.noted) {
				this.noted = true;
				READING.incrementAndGet();
			}
		}

	}

	@RestController
	static class Controller {

		@PostMapping("/sign-in")
		@RateLimited(limit = 3, window = "15m", key = "parameter('username')")
		String signIn(@RequestParam String username, @RequestParam String password) {
			return username + " " + password.length();
		}

		@PostMapping("/sign-in/{name}")
		@RateLimited(name = "by name", limit = 1, window = "15m", key = "pathVariable('name')",
				charge = "status >= 400")
		String signInByName(@PathVariable String name, @RequestBody String body) {
			return name;
		}

		@GetMapping("/mine")
		@RateLimited(limit = 2, window = "1d", key = "principal")
		String mine() {
			return "mine";
		}

		@PostMapping({ "/one", "/every" })
		ResponseEntity<Map<String, String>> fail() {
			return ResponseEntity.status(401).body(Map.of("error", "wrong"));
		}

	}

}
