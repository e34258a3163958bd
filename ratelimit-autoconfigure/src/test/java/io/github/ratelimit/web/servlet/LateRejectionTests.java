package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.testserver.Registrations;
import io.github.ratelimit.testserver.SecuredUsers;
import io.github.ratelimit.testserver.TestServer;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.web.error.ErrorAttributeOptions;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.boot.webmvc.error.DefaultErrorAttributes;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.UsernamePasswordAuthenticationFilter;
import org.springframework.security.web.authentication.www.BasicAuthenticationFilter;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.filter.OncePerRequestFilter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whoever has used up another limit, which a request meets only once a password was
 * checked, guesses no faster: a wrong guess is paid for, though it is rejected.
 */
class LateRejectionTests {

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.startSecured(Application.class,
				"guesses: 5 per 15m; algorithm=sliding-window-log; key='all'; charge=authenticationFailed",
				"errors: 5 per 15m; key='all'; charge=status >= 400", "attempts: 5 per 15m; key='all'",
				"outer: 5 per 15m; key='all'", "pages: 1 per 1h; key='all'",
				"api: 1 per 1h; key=principal?.name ?: 'nobody'", "/login -> guesses", "/check -> attempts",
				"/denied -> attempts", "/service -> attempts", "/dispatching -> attempts", "/failed -> pages",
				"/open -> guesses", "/open -> errors", "/open -> api");
	}

	@BeforeEach
	void reset() {
		for (RateLimiter policy : server.limiter().policies()) {
			policy.reset("all");
			policy.reset("nobody");
			policy.reset("ann");
		}
	}

	@Test
	void whatAFailedLoginForwardsToRejectsAndTheLoginCounts() {
		server.get("/failed").is(200);
		for (int i = 1; i <= 5; i++) {
			server.form("/login", "username=ann&password=guess").is(429);
			assertThat(remaining("guesses")).isEqualTo(5 - i);
		}
		assertThat(server.form("/login", "username=ann&password=secret").is(429).body()).contains("guesses");
	}

	@Test
	void whatAHandlerForwardsToRejectsAndTheHandlersRequestCounts() {
		server.get("/failed").is(200);
		for (int i = 1; i <= 5; i++) {
			server.form("/check", "password=guess").is(429);
			assertThat(remaining("attempts")).isEqualTo(5 - i);
		}
		assertThat(server.form("/check", "password=secret").is(429).body()).contains("attempts");
	}

	@Test
	void whatAServletDispatchesToLaterRejectsAndItsRequestCounts() {
		server.get("/failed").is(200);
		for (int i = 1; i <= 5; i++) {
			server.form("/dispatching", "password=guess").is(429);
			assertThat(remaining("attempts")).isEqualTo(5 - i);
		}
		assertThat(server.form("/dispatching", "password=secret").is(429).body()).contains("attempts");
	}

	@Test
	void whatAHandlerIncludesRejectsAndTheHandlersRequestCounts() {
		server.get("/failed").is(200);
		for (int i = 1; i <= 5; i++) {
			assertThat(server.get("/outer").is(200).body()).isEqualTo("without");
			assertThat(remaining("outer")).isEqualTo(5 - i);
		}
		assertThat(server.get("/outer").is(429).body()).contains("outer");
	}

	@ParameterizedTest
	@ValueSource(strings = { "Basic YW5uOmd1ZXNz", "Key guess" })
	void credentialsAreWrongAndTheUsersLimitRejectsNobodyInParticularAndTheGuessCounts(String wrong) {
		server.get("/open").is(200);
		assertThat(remaining("guesses")).isEqualTo(5);
		for (int i = 1; i <= 5; i++) {
			server.get("/open", "Authorization", wrong).is(429);
			assertThat(remaining("guesses")).isEqualTo(5 - i);
		}
	}

	/* Nothing is known of a key that a filter of the application has checked. */
	@Test
	void whatIsNotChargedByAuthenticationGoesBackAsEver() {
		server.get("/open").is(200);
		server.get("/open", "Authorization", "Key guess").is(429);
		assertThat(remaining("errors")).isEqualTo(5);
	}

	@Test
	void anErrorPageCallsAServiceThatRejectsAndTheRequestCounts() {
		long before = server.limiter().policy("alerts").count(RateLimitOutcome.REJECTED);
		for (int i = 1; i <= 5; i++) {
			assertThat(server.get("/denied").status()).isIn(401, 429);
			assertThat(remaining("attempts")).isEqualTo(5 - i);
		}
		assertThat(server.limiter().policy("alerts").count(RateLimitOutcome.REJECTED)).isEqualTo(before + 4);
	}

	/*
	 * A request that a filter has rewritten is dispatched once more when its handler has
	 * answered, and that is no dispatch to another handler.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "/service", "/rewritten" })
	void aServiceThatAHandlerCallsLaterRejectsAndNothingCounts(String path) {
		server.limiter().decide("alerts", "all", 1);
		server.get(path).is(429);
		assertThat(remaining("attempts")).isEqualTo(5);
	}

	@ParameterizedTest
	@CsvSource({ "Basic YW5uOnNlY3JldA==", "Key secret", "," })
	void nothingIsGuessedAndTheUsersLimitRejectsAndNothingCounts(String right) {
		String[] credentials = (right != null) ? new String[] { "Authorization", right } : new String[0];
		server.get("/open", credentials).is(200);
		server.get("/open", credentials).is(429);
		server.send("POST", "/open", "", credentials).is(429);
		assertThat(remaining("guesses")).isEqualTo(5);
	}

	private static long remaining(String name) {
		if (server.limiter().policy(name).policy().charge() != null) {
			server.awaitSettled(name);
		}
		return server.limiter().peek(name, "all").remaining();
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Pages.class, Alerts.class, ErrorPage.class, SecuredUsers.class })
	static class Application {

		@Bean
		AuthenticationManager manager(UserDetailsService users, PasswordEncoder passwords) {
			return SecuredUsers.manager(users, passwords);
		}

		@Bean
		static FilterRegistrationBean<?> rewriting() {
			return Registrations.filter(Ordered.LOWEST_PRECEDENCE, (request, response, chain) -> {
				HttpServletRequest served = request;
				if (request.getRequestURI().equals("/rewritten")) {
					served = new HttpServletRequestWrapper(request) {

						@Override
						public String getRequestURI() {
							return "/service";
						}

						@Override
						public String getServletPath() {
							return "/service";
						}

					};
				}
				chain.doFilter(served, response);
			});
		}

		@Bean
		ServletRegistrationBean<?> dispatching() {
			return Registrations.dispatching("/dispatching", "/failed");
		}

		@Bean
		SecurityFilterChain chain(HttpSecurity http, AuthenticationManager manager) {
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())
				.formLogin((form) -> form.failureForwardUrl("/failed"))
				.addFilter(new BasicAuthenticationFilter(manager))
				.addFilterBefore(new Keys(), UsernamePasswordAuthenticationFilter.class)
				.csrf(AbstractHttpConfigurer::disable)
				.build();
		}

	}

	/* Tells the owner of an account. */
	static class Alerts {

		@RateLimited(name = "alerts", limit = 1, window = "1h", key = "'all'")
		public void warn() {
		}

	}

	static class ErrorPage extends DefaultErrorAttributes {

		private final Alerts alerts;

		ErrorPage(Alerts alerts) {
			this.alerts = alerts;
		}

		@Override
		public Map<String, Object> getErrorAttributes(WebRequest request, ErrorAttributeOptions options) {
			this.alerts.warn();
			return super.getErrorAttributes(request, options);
		}

	}

	/* Whoever has no right key is nobody, and Spring Security hears of no failure. */
	private static final class Keys extends OncePerRequestFilter {

		@Override
		protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws ServletException, IOException {
			if ("Key secret".equals(request.getHeader("Authorization"))) {
				SecurityContextHolder.getContext()
					.setAuthentication(UsernamePasswordAuthenticationToken.authenticated("ann", null,
							AuthorityUtils.NO_AUTHORITIES));
			}
			chain.doFilter(request, response);
		}

	}

	@Controller
	static class Pages {

		private final Alerts alerts;

		Pages(Alerts alerts) {
			this.alerts = alerts;
		}

		@GetMapping("/denied")
		void denied(HttpServletResponse response) throws IOException {
			response.sendError(401);
		}

		@GetMapping("/service")
		@ResponseBody
		Callable<String> service() {
			return () -> {
				this.alerts.warn();
				return "warned";
			};
		}

		@RequestMapping("/failed")
		@ResponseBody
		String failed() {
			return "failed";
		}

		@RequestMapping("/open")
		@ResponseBody
		String open() {
			return "open";
		}

		@PostMapping("/check")
		String check(@RequestParam String password) {
			return "forward:" + (password.equals("secret") ? "/open" : "/failed");
		}

		@RateLimited("pages")
		@GetMapping("/part")
		@ResponseBody
		String part() {
			return "part";
		}

		@RateLimited("outer")
		@GetMapping("/outer")
		void outer(HttpServletRequest request, HttpServletResponse response) throws IOException {
			try {
				request.getRequestDispatcher("/part").include(request, response);
			}
			catch (RateLimitExceededException | ServletException ex) {
				response.getOutputStream().print("without");
			}
		}

	}

}
