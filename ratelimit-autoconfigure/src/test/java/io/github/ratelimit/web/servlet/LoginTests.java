package io.github.ratelimit.web.servlet;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;

import io.github.ratelimit.annotation.RateLimited;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Logins by name: a rule for Spring Security's own form, and a handler that logs in
 * itself; and what is told apart by the session that a login begins.
 */
class LoginTests {

	@AutoClose
	private final TestServer server = TestServer.startSecured(Application.class, "login: 3 per 15m", "visits: 2 per 1d",
			"/login -> login; methods=POST; key=parameter('username')", "/visits -> visits; key=session.id",
			"/seen -> visits; key=cookie('visitor')");

	@ParameterizedTest
	@ValueSource(strings = { "/login", "/sign-in" })
	void guessedPasswordsCountByName(String path) {
		for (int i = 0; i < 3; i++) {
			assertThat(login(path, "ann", "guess").status()).isNotEqualTo(429);
		}
		assertThat(login(path, "ann", "secret").status()).isEqualTo(429);
		Answer other = login(path, "bob", "secret");
		assertThat(other.status()).isNotEqualTo(429);
		assertThat(other.status()).isLessThan(400);
	}

	@Test
	void theFormIsStillThereForSpringSecurity() {
		Answer response = login("/login", "ann", "secret");
		response.is(302);
		assertThat(response.headers().firstValue("Location"))
			.hasValueSatisfying((location) -> assertThat(location).doesNotContain("error"));
	}

	@Test
	void aLongNameIsBoundedAndAForgedKeyIsNobodysElse() {
		String longName = "x".repeat(10_000);
		login("/login", longName, "guess");
		assertThat(this.server.limiter().policy("login").keys()).isEqualTo(1);
		assertThat(login("/login", "address:127.0.0.1", "guess").status()).isEqualTo(302);
		assertThat(this.server.limiter().peek("login", "address:127.0.0.1").remaining()).isEqualTo(3);
	}

	@Test
	void aLoginWithoutANameOrThatCannotBeReadIsTheClientsAddress() {
		this.server.form("/login", "password=guess");
		this.server.form("/login", "username=%zz&password=guess");
		this.server.send("POST", "/login", "{}", "Content-Type", "application/json");
		assertThat(this.server.limiter().peek("login", "address:127.0.0.1").remaining()).isZero();
		this.server.form("/login", "").is(429);
		assertThat(login("/login", "ann", "secret").status()).isEqualTo(302);
	}

	@Test
	void whoHasNoSessionIsTheClientsAddressAndGetsNone() {
		for (String cookie : List.of("JSESSIONID=forged-1", "JSESSIONID=forged-2", "a=b")) {
			this.server.get("/visits", "Cookie", cookie).is(cookie.equals("a=b") ? 429 : 200, "Set-Cookie:");
		}
		assertThat(this.server.limiter().policy("visits").keys()).isEqualTo(1);
	}

	@Test
	void eachSessionHasABudget() {
		String first = session();
		String second = session();
		for (String session : List.of(first, second)) {
			this.server.get("/visits", "Cookie", session).is(200);
			this.server.get("/visits", "Cookie", session).is(200);
			this.server.get("/visits", "Cookie", session).is(429);
		}
	}

	@Test
	void eachValueOfACookieHasABudget() {
		assertThat(this.server.get("/seen", "Cookie", "a=b; visitor=ann; visitor=bob").remaining()).isEqualTo(1);
		assertThat(this.server.get("/seen", "Cookie", "visitor=ann").remaining()).isZero();
		this.server.get("/seen", "Cookie", "visitor=ann").is(429);
		assertThat(this.server.get("/seen", "Cookie", "visitor=bob").remaining()).isEqualTo(1);
		assertThat(this.server.get("/seen", "Cookie", "visitor").remaining()).isEqualTo(1);
		assertThat(this.server.limiter().peek("visits", "address:127.0.0.1").remaining()).isEqualTo(1);
	}

	@Test
	void principalIsTheSameKeyInEachSession() {
		String first = session();
		String second = session();
		assertThat(this.server.get("/mine", "Cookie", first).remaining()).isEqualTo(1);
		assertThat(this.server.get("/mine", "Cookie", second).remaining()).isZero();
		this.server.get("/mine", "Cookie", session()).is(429);
	}

	private Answer login(String path, String name, String password) {
		return this.server.form(path,
				"username=" + URLEncoder.encode(name, StandardCharsets.UTF_8) + "&password=" + password);
	}

	private String session() {
		this.server.limiter().policy("login").reset("ann");
		return login("/login", "ann", "secret").field("Set-Cookie").split(";")[0];
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Controller.class, SecuredUsers.class })
	static class Application {

		@Bean
		SecurityFilterChain security(HttpSecurity http) {
			return http
				.authorizeHttpRequests(
						(requests) -> requests.requestMatchers("/mine").authenticated().anyRequest().permitAll())
				.formLogin(Customizer.withDefaults())
				.csrf(AbstractHttpConfigurer::disable)
				.build();
		}

	}

	@RestController
	static class Controller {

		@PostMapping("/sign-in")
		@RateLimited(limit = 3, window = "15m", key = "parameter('username')")
		String signIn(@RequestParam String username, @RequestParam String password) {
			return username + " " + password.length();
		}

		@GetMapping({ "/visits", "/seen" })
		String visits() {
			return "visits";
		}

		@GetMapping("/mine")
		@RateLimited(limit = 2, window = "1d", key = "principal")
		String mine() {
			return "mine";
		}

	}

}
