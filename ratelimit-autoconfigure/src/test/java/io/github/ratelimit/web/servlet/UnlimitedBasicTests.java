package io.github.ratelimit.web.servlet;

import java.util.List;

import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFindings;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.util.matcher.NegatedRequestMatcher;
import org.springframework.security.web.util.matcher.RequestHeaderRequestMatcher;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is found where a login is limited and HTTP Basic is accepted elsewhere.
 */
class UnlimitedBasicTests {

	@ParameterizedTest
	@CsvSource(nullValues = "-", textBlock = """
			authenticationFailed, /login,    -,    3
			authenticationFailed, /**,       -,    0
			authenticationFailed, /**,       POST, 3
			authenticationFailed, /{*path},  -,    0
			authenticationFailed, /api/**,   -,    1
			status >= 400,        /login,    -,    0
			""")
	void eachPatternThatNoRuleForLoginsCoversIsFound(String charge, String path, String methods, int found) {
		String method = (methods != null) ? methods : "";
		try (TestServer server = TestServer.startSecured(Application.class, "login: 5 per 1d; charge=" + charge,
				path + " -> login; methods=" + method)) {
			List<?> unlimited = server.bean(RateLimitFindings.class)
				.list()
				.stream()
				.filter((finding) -> finding.code() == FindingCode.UNLIMITED_BASIC)
				.toList();
			assertThat(unlimited).hasSize(found);
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class Application {

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

}
