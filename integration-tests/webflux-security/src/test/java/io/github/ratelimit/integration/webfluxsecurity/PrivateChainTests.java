package io.github.ratelimit.integration.webfluxsecurity;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.TestServer;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.security.autoconfigure.actuate.web.reactive.ReactiveManagementWebSecurityAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.security.authentication.UserDetailsRepositoryReactiveAuthenticationManager;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.config.web.server.SecurityWebFiltersOrder;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.web.server.WebFilterChainProxy;
import org.springframework.security.web.server.authentication.AuthenticationWebFilter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Logins in filter chains that are no beans: that which Spring Security makes by default,
 * and that of an application's own proxy.
 */
class PrivateChainTests {

	private static final String POLICY = "login: 5 per 15m; key='all'; charge=authenticationFailed";

	private static final Pattern TOKEN = Pattern.compile("name=\"_csrf\"[^>]* value=\"([^\"]+)\"");

	@Test
	void withoutAChainThatIsABeanOnlyWrongPasswordsCount() {
		try (TestServer server = TestServer.startSecured(DefaultChain.class, POLICY, "/login -> login; methods=POST")) {
			for (int i = 0; i < 6; i++) {
				login(server, "secret").is(302, "Location: /");
				assertThat(remaining(server)).isEqualTo(5);
			}
			for (int i = 1; i <= 5; i++) {
				login(server, "guess").is(302, "Location: /login?error");
				assertThat(remaining(server)).isEqualTo(5 - i);
			}
			login(server, "secret").is(429);
		}
	}

	@Test
	void aGuessInWhatLooksLikeAPreflightCountsAtAProxyOfTheApplication() {
		try (TestServer server = TestServer.startSecured(OwnProxy.class, POLICY, "/** -> login")) {
			for (int i = 1; i <= 6; i++) {
				guessInPreflight(server).is((i <= 5) ? 401 : 429);
			}
		}
	}

	private static Answer login(TestServer server, String password) {
		Answer page = server.get("/login", "Accept", "text/html");
		Matcher token = TOKEN.matcher(page.body());
		assertThat(token.find()).as(page.body()).isTrue();
		String session = page.field("Set-Cookie").split(";")[0];
		return server.form("/login", "username=ann&password=" + password + "&_csrf=" + token.group(1), "Cookie",
				session);
	}

	private static Answer guessInPreflight(TestServer server) {
		return server.send("OPTIONS", "/mine", "", "X-Password", "guess", "Origin", "https://example.org",
				"Access-Control-Request-Method", "GET");
	}

	private static long remaining(TestServer server) {
		server.awaitSettled("login");
		return server.limiter().peek("login", "all").remaining();
	}

	private static MapReactiveUserDetailsService ann() {
		return new MapReactiveUserDetailsService(
				User.withUsername("ann").password("{noop}secret").roles("USER").build());
	}

	/* The actuator would bring a chain that is a bean. */
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(exclude = ReactiveManagementWebSecurityAutoConfiguration.class)
	static class DefaultChain {

		@Bean
		MapReactiveUserDetailsService users() {
			return ann();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(exclude = ReactiveManagementWebSecurityAutoConfiguration.class)
	static class OwnProxy {

		@Bean
		@Order(-100)
		WebFilterChainProxy proxy() {
			AuthenticationWebFilter filter = new AuthenticationWebFilter(
					new UserDetailsRepositoryReactiveAuthenticationManager(ann()));
			filter.setServerAuthenticationConverter(
					(exchange) -> Mono.justOrEmpty(exchange.getRequest().getHeaders().getFirst("X-Password"))
						.map((password) -> UsernamePasswordAuthenticationToken.unauthenticated("ann", password)));
			return new WebFilterChainProxy(ServerHttpSecurity.http()
				.addFilterAt(filter, SecurityWebFiltersOrder.AUTHENTICATION)
				.authorizeExchange((exchanges) -> exchanges.anyExchange().authenticated())
				.build());
		}

	}

}
