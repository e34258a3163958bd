package io.github.ratelimit.integration.suite;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.Objects;

import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.testserver.Handlers;
import io.github.ratelimit.testserver.TestServer;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import org.springframework.util.MultiValueMap;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who varies a name in the query, beside a form that the server does not read but the
 * handler, has one budget.
 */
class ServletUnreadFormsTests {

	private static final String LOGIN = "login: 5 per 15m; key=parameter('username') ?: 'no name'";

	private static final String FORM = "username=ann&password=guess";

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.start(List.of(Handlers.class, Logins.class, BodyCache.class), LOGIN, "/login -> login",
				"server.tomcat.max-http-form-post-size=1KB", "server.jetty.max-http-form-post-size=1KB");
	}

	@BeforeEach
	void forget() {
		server.forget();
	}

	@ParameterizedTest
	@ValueSource(strings = { "&=x", "&=", "&=x&username=bob" })
	void aQueryThatTheServerCannotParseHidesNoForm(String mistake) {
		assertHasOneBudget(mistake, FORM);
	}

	@ParameterizedTest
	@ValueSource(strings = { "filler=%s&username=ann", "username=ann&filler=%s" })
	void aFormThatIsTooLargeForTheServerIsNoneOfTheQuerys(String form) {
		assertHasOneBudget("", form.formatted("x".repeat(3000)));
	}

	@Test
	void aFormThatAFilterHasReadBeforeIsNoneOfTheQuerys() {
		assertHasOneBudget("", FORM, BodyCache.CACHED, "yes");
	}

	@Test
	void whoFillsTheQueryUpHasNoOtherBudget() {
		assertHasOneBudget("&&&&&&&", FORM);
	}

	private static void assertHasOneBudget(String query, String form, String... headers) {
		long passed = 0;
		for (int i = 1; i <= 8; i++) {
			String[] fields = TestServer.with(headers, "Content-Type", MediaType.APPLICATION_FORM_URLENCODED_VALUE);
			if (server.send("POST", "/login?username=" + i + query, form, fields).status() != 429) {
				passed++;
			}
		}

		assertThat(passed).isEqualTo(5);
		RateLimiter login = Objects.requireNonNull(server.bean(RateLimiterRegistry.class).find("login"));
		assertThat(login.failures(RateLimitExpression.KEY)).isZero();
	}

	@RestController
	static class Logins {

		@PostMapping("/login")
		String login(@RequestBody MultiValueMap<String, String> form) {
			return String.valueOf(form.getFirst("username"));
		}

	}

	/**
	 * Lets everybody behind it read the body once more.
	 */
	@Component
	@Order(Ordered.HIGHEST_PRECEDENCE)
	static class BodyCache extends OncePerRequestFilter {

		static final String CACHED = "X-Cached";

		@Override
		protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws ServletException, IOException {
			if (request.getHeader(CACHED) == null) {
				chain.doFilter(request, response);
				return;
			}
			ByteArrayInputStream body = new ByteArrayInputStream(request.getInputStream().readAllBytes());
			chain.doFilter(new HttpServletRequestWrapper(request) {
				@Override
				public ServletInputStream getInputStream() {
					return new CachedBody(body);
				}
			}, response);
		}

	}

	static class CachedBody extends ServletInputStream {

		private final ByteArrayInputStream body;

		CachedBody(ByteArrayInputStream body) {
			this.body = body;
		}

		@Override
		public int read() {
			return this.body.read();
		}

		@Override
		public boolean isFinished() {
			return this.body.available() == 0;
		}

		@Override
		public boolean isReady() {
			return true;
		}

		@Override
		public void setReadListener(ReadListener listener) {
			throw new UnsupportedOperationException();
		}

	}

}
