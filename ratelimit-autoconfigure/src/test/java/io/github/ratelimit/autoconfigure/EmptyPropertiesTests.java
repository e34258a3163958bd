package io.github.ratelimit.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimiterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is written and empty has one meaning, or is an error that says what to write.
 */
class EmptyPropertiesTests {

	private static final String LIMITS = "limits: [ { limit: 5, window: 1m } ]";

	@TempDir
	private Path directory;

	@ParameterizedTest
	@ValueSource(strings = { "", "policies:", "policies: {}", "rules:", "rules: []", "headers:", "headers: []",
			"caffeine:", "redis: {}", "client-address: {}", "client-address.trusted-proxies: []" })
	void emptyPartIsAsNone(String yaml) throws IOException {
		try (ConfigurableApplicationContext context = start(yaml)) {
			RateLimitProperties properties = context.getBean(RateLimitProperties.class);
			assertThat(properties.policies()).isEmpty();
			assertThat(properties.rules()).isEmpty();
			assertThat(properties.headers()).hasSize(yaml.startsWith("headers") ? 0 : 2);
		}
	}

	@Test
	void emptyNumberOfALimitIsItsDefault() throws IOException {
		try (ConfigurableApplicationContext context = start(
				"policies.login.limits: [ { limit: 5, window: 1m, burst:, algorithm: } ]")) {
			assertThat(context.getBean(RateLimitProperties.class).policies().get("login").limits())
				.containsExactly(start("policies.login." + LIMITS).getBean(RateLimitProperties.class)
					.policies()
					.get("login")
					.limits()
					.get(0));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "ban:", "ban: {}" })
	void emptyBanHasItsDefaults(String ban) throws IOException {
		try (ConfigurableApplicationContext context = start("policies.login: { limit: 5, window: 1m, " + ban + " }")) {
			assertThat(context.getBean(RateLimiterRegistry.class).policy("login").policy().ban())
				.isEqualTo(RateLimitBan.builder().build());
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "methods:", "methods: []" })
	void ruleForNoMethodsIsForAll(String methods) throws IOException {
		try (ConfigurableApplicationContext context = start("policies.login." + LIMITS + "\n  rules: [ { path: /a, "
				+ "policy: login, " + methods.replace(":", ": ") + " } ]")) {
			assertThat(context.getBean(RateLimitProperties.class).rules().get(0).methods()).isEmpty();
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					policies.login:                                     | policies.login.limits          | has no entry | Give the policy 'login'
					policies.login: {}                                  | policies.login.limits          | has no entry | Give the policy 'login'
					policies.login.limits:                              | policies.login.limits          | has no entry | Give the policy 'login'
					policies.login.limits: []                           | policies.login.limits          | has no entry | Give the policy 'login'
					policies.login.limits: [ null ]                     | policies.login.limits[0].limit | is missing   | Set it to the number
					policies.login.limits: [ {} ]                       | policies.login.limits[0].limit | is missing   | Set it to the number
					policies.login.limits: [ {limit: 1, window: 1m}, null ] | policies.login.limits[1].limit | is missing | Set it to the number
					rules: [ null ]                                     | rules[0].path                  | is missing   | Set it to the pattern
					rules: [ {} ]                                       | rules[0].path                  | is missing   | Set it to the pattern
					headers: rate-limit,,x-rate-limit                   | headers[1]                     | has no value | Write rate-limit, x-rate-limit
					policies: { '[ ]': { limits: [ { limit: 1, window: 1m } ] } } | policies[ ]          | cannot name a policy | Use 1 to 128
					policies: { '[a/b]': { limits: [ { limit: 1, window: 1m } ] } } | policies[a/b]      | cannot name a policy | Use 1 to 128
					policies: { '[a\\b]': { limits: [ { limit: 1, window: 1m } ] } } | policies[a\\b]    | cannot name a policy | Use 1 to 128
					policies: { '[100%]': { limits: [ { limit: 1, window: 1m } ] } } | policies[100%]    | cannot name a policy | Use 1 to 128
					policies: { '[..]': { limits: [ { limit: 1, window: 1m } ] } } | policies[..]        | cannot name a policy | Use 1 to 128
					policies: { "[a\\u0001b]": { limits: [ { limit: 1, window: 1m } ] } } | policies[a\u0001b] | cannot name a policy | Use 1 to 128
					policies: { '[grün]': { limits: [ { limit: 1, window: 1m } ] } } | policies[grün]    | cannot name a policy | Use 1 to 128
					""")
	void emptyValueOrNameIsAnError(String yaml, String property, String reason, String action) {
		FailedStart failed = FailedStart.ofServer(yaml(yaml.replace("\\\\", "\\")));
		assertThat(failed.description()).startsWith("The property 'ratelimit." + property.replace("\\\\", "\\") + "'")
			.contains(reason);
		assertThat(failed.action()).startsWith(action);
	}

	@Test
	void nameWithoutAnEndIsAnError() {
		FailedStart failed = FailedStart.of(yaml("policies: { " + "x".repeat(129) + ": { " + LIMITS + " } }"));
		assertThat(failed.description()).contains("cannot name a policy");
	}

	@Test
	void nameOfAnOverloadWithArraysCanBeConfigured() throws IOException {
		try (ConfigurableApplicationContext context = start(
				"policies: { '[Posts.save(String[], Map)]': { " + LIMITS + " } }")) {
			assertThat(context.getBean(RateLimitProperties.class).policies())
				.containsOnlyKeys("Posts.save(String[], Map)");
		}
	}

	private ConfigurableApplicationContext start(String yaml) throws IOException {
		Path file = Files.writeString(this.directory.resolve("application.yml"), yaml(yaml));
		return new SpringApplicationBuilder(FailedStart.Application.class).web(WebApplicationType.NONE)
			.run("--spring.config.location=" + file.toUri(), "--spring.main.banner-mode=off");
	}

	private static String yaml(String below) {
		return "ratelimit:\n  " + below + "\n";
	}

}
