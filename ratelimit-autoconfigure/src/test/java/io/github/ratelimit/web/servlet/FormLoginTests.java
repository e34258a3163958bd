package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFinding;
import io.github.ratelimit.findings.RateLimitFindings;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guesses at one account from many addresses, in every form that Spring Security reads:
 * five of them are checked.
 */
class FormLoginTests {

	private static final AtomicInteger CHECKED = new AtomicInteger();

	private static final AtomicInteger READING = new AtomicInteger();

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.startSecured(Application.class, "ratelimit.client-address.trusted-proxies=127.0.0.1",
				"ratelimit.client-address.header=x-forwarded-for",
				"login: 5 per 15m; algorithm=sliding-window-log; charge=authenticationFailed",
				"nameless: 5 per 15m; charge=authenticationFailed",
				"/login -> login; methods=POST; key=folded(parameter('username')) ?: 'no name'",
				"/other -> nameless; key=parameter('username').trim()");
	}

	@BeforeEach
	void forget() {
		server.forget();
		CHECKED.set(0);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			form            | /login                 | username=ada&password=wrong
			form            | /login?username=ada    | password=wrong
			form            | /login?username=%20ADA | username=bob&password=wrong
			multipart       | /login                 | ada
			multipart       | /login?username=ada    | bob
			""")
	void fiveGuessesAreCheckedWhateverTheForm(String form, String path, String body) {
		for (int address = 1; address <= 20; address++) {
			for (int i = 0; i < 7; i++) {
				login(form, path, body, "203.0.113." + address);
			}
		}
		assertThat(CHECKED).hasValue(5);
	}

	@Test
	void logInByMultipartStillWorks() {
		assertThat(
				server.send("POST", "/login", parts("ada", "secret"), "Content-Type", "multipart/form-data; boundary=x")
					.headers()
					.firstValue("Location"))
			.hasValueSatisfying((location) -> assertThat(location).doesNotContain("error"));
	}

	@Test
	void requestsWithoutANameShareAKey() {
		for (int address = 1; address <= 7; address++) {
			login("form", "/login", "password=wrong", "203.0.113." + address);
		}
		assertThat(CHECKED.get()).isLessThanOrEqualTo(5);
		assertThat(server.limiter().peek("login", "no name").remaining()).isZero();
	}

	@Test
	void keyThatLeavesTheLoginToTheAddressIsFound() {
		List<RateLimitFinding> found = server.bean(RateLimitFindings.class)
			.list()
			.stream()
			.filter((finding) -> finding.code() == FindingCode.NAMELESS_LOGIN)
			.toList();
		assertThat(found).extracting(RateLimitFinding::policy).containsExactly("nameless");
	}

	@Test
	void bodyThatNeverEndsReservesNothing() throws Exception {
		List<Socket> open = new ArrayList<>();
		int before = READING.get();
		try {
			for (int i = 0; i < 8; i++) {
				open.add(begin("/sign-in/ada", "application/json", "{\"password\":"));
				open.add(begin("/login?username=ada", "application/x-www-form-urlencoded", "password="));
			}
			TestServer.await(() -> READING.get() == before + open.size());
			server.send("POST", "/sign-in/ada", "{}", "Content-Type", "application/json").is(200);
			TestServer.await(() -> server.limiter().peek("FormLoginTests.signIn", "ada").remaining() == 1);
			assertThat(server.limiter().peek("login", "ada").remaining()).isEqualTo(5);
		}
		finally {
			for (Socket socket : open) {
				socket.close();
			}
		}
	}

	private static Socket begin(String path, String type, String body) throws IOException {
		Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
		socket.getOutputStream()
			.write(("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + type
					+ "\r\nContent-Length: 1000\r\n\r\n" + body)
				.getBytes(StandardCharsets.US_ASCII));
		return socket;
	}

	private static void login(String form, String path, String body, String address) {
		boolean multipart = form.equals("multipart");
		server.send("POST", path, multipart ? parts(body, "wrong") : body, "X-Forwarded-For", address, "Content-Type",
				multipart ? "multipart/form-data; boundary=x" : "application/x-www-form-urlencoded");
	}

	private static String parts(String name, String password) {
		return "--x\r\nContent-Disposition: form-data; name=\"username\"\r\n\r\n" + name
				+ "\r\n--x\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n" + password + "\r\n--x--\r\n";
	}

	@Configuration(proxyBeanMethods = false)
	@Import(SignIn.class)
	static class Application {

		@Bean
		SecurityFilterChain security(HttpSecurity http) {
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())
				.formLogin(Customizer.withDefaults())
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
	static class SignIn {

		@RateLimited(name = "FormLoginTests.signIn", limit = 1, window = "15m", key = "pathVariable('name')",
				charge = "status >= 400")
		@PostMapping("/sign-in/{name}")
		public String signIn(@PathVariable String name, @RequestBody String body) {
			return name;
		}

	}

}
