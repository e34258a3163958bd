package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

import io.github.ratelimit.CalendarModel;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.web.HeaderFamily;
import io.github.ratelimit.web.PolicyNames;
import io.github.ratelimit.web.ResetFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.util.StringUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is written in a file: what is empty has one meaning, or is an error that says what
 * to write; windows may be of a calendar; and a list has properties beside it, under its
 * name.
 */
class WrittenPropertiesTests {

	private static final String LIMITS = "limits: [ { limit: 5, window: 1m } ]";

	@ParameterizedTest
	@ValueSource(strings = { "", "policies:", "policies: {}", "rules:", "rules: []", "headers:", "headers: []",
			"caffeine:", "redis: {}", "client-address: {}", "client-address.trusted-proxies: []" })
	void emptyPartIsAsNone(String yaml) {
		RateLimitProperties properties = start(yaml);
		assertThat(properties.policies()).isEmpty();
		assertThat(properties.rules()).isEmpty();
		assertThat(properties.headers()).hasSize(yaml.startsWith("headers") ? 0 : 2);
	}

	@Test
	void emptyNumberOfALimitIsItsDefault() {
		assertThat(start("policies.login.limits: [ { limit: 5, window: 1m, burst:, algorithm: } ]"))
			.isEqualTo(start("policies.login." + LIMITS));
	}

	@ParameterizedTest
	@ValueSource(strings = { "ban:", "ban: {}" })
	void emptyBanHasItsDefaults(String ban) {
		FailedStart.starting(yaml("policies.login: { limit: 5, window: 1m, " + ban + " }"), Map.of())
			.run((context) -> assertThat(context.getBean(RateLimiterRegistry.class).policy("login").policy().ban())
				.isEqualTo(new RateLimitBan(3)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "methods:", "methods: []" })
	void ruleForNoMethodsIsForAll(String methods) {
		RateLimitProperties properties = start("policies.login." + LIMITS + "\n  rules: [ { path: /a, policy: login, "
				+ methods.replace(":", ": ") + " } ]");
		assertThat(properties.rules().get(0).methods()).isEmpty();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					policies.login:                                     | policies.login.limits          | has no entry | Give the policy 'login'
					policies.login: {}                                  | policies.login.limits          | has no entry | Give the policy 'login'
					policies.login.limits:                              | policies.login.limits          | has no entry | Write limits as in
					policies.login.limits: []                           | policies.login.limits          | has no entry | Write limits as in
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
	void nameOfAnOverloadWithArraysCanBeConfigured() {
		assertThat(start("policies: { '[Posts.save(String[], Map)]': { " + LIMITS + " } }").policies())
			.containsOnlyKeys("Posts.save(String[], Map)");
	}

	private static RateLimitProperties start(String yaml) {
		return bind(yaml(yaml), Map.of());
	}

	private static String yaml(String below) {
		return "ratelimit:\n  " + below + "\n";
	}

	@ParameterizedTest
	@CsvSource({ "P1D, Asia/Kathmandu,", "P1W, UTC, 7", "P1M, Europe/Berlin, 15", "P1M, +02:00, 08",
			"P1Y, Europe/London, 04-06", "p1y, UTC, 02-29" })
	void windowsAreReadInAListAndOutsideOfOne(String window, String zone, String from) {
		String limit = "algorithm: fixed-window-counter, limit: 10, window: " + window + ", zone: '" + zone + "'"
				+ ((from != null) ? ", from: " + from : "");
		RateLimit expected = CalendarModel.limit(10, window, zone, from);
		assertThat(limits("policies: { quota: { " + limit + " } }")).containsExactly(expected);
		assertThat(limits("policies: { quota: { limits: [ { limit: 1, window: 1m }, { " + limit + " } ] } }"))
			.hasSize(2)
			.contains(expected);
	}

	@Test
	void oneOfItsNumbersCanBeOverridden() {
		assertThat(limits("""
				policies:
				  quota: { algorithm: fixed-window-counter, limit: 10, window: P1M, zone: Europe/Berlin, from: 15 }
				policies.quota.from: 20
				""")).containsExactly(CalendarModel.limit(10, "P1M", "Europe/Berlin", "20"));
	}

	@Test
	void whatIsEmptyIsNotThere() {
		assertThat(
				limits("policies: { quota: { algorithm: fixed-window-counter, limit: 5, window: 1d, zone:, from: } }"))
			.containsExactly(RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 5, Duration.ofDays(1)));
	}

	@Test
	void shadowLimitsMayHaveACalendar() {
		FailedStart failed = FailedStart.of("""
				ratelimit.policies.quota:
				  limits: [ { limit: 1, window: 1m } ]
				  shadow-limits: [ { algorithm: fixed-window-counter, limit: 1, window: P1M, zone: Europe/Berln } ]
				""");
		assertThat(failed.description())
			.startsWith("The property 'ratelimit.policies.quota.shadow-limits[0].zone' with "
					+ "the value 'Europe/Berln' is not a known time zone. It was set in application.yml");
		assertThat(failed.action())
			.isEqualTo("Did you mean 'Europe/Berlin'? Write the id of a time zone, such as Europe/Berlin, or UTC.");
	}

	private static List<RateLimit> limits(String yaml) {
		List<RateLimit> limits = new ArrayList<>();
		FailedStart.starting("ratelimit:\n  " + yaml.replace("\n", "\n  "), Map.of())
			.run((context) -> limits
				.addAll(context.getBean(RateLimiterRegistry.class).policy("quota").policy().limits()));
		return limits;
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					headers: [ x-rate-limit ], headers.reset: epoch, headers.policy-names: short | | x-rate-limit | EPOCH | SHORT
					headers: { policy-names: none }                   | | rate-limit, x-rate-limit | SECONDS | NONE
					headers: x-rate-limit, headers.reset: seconds | HEADERS_RESET=epoch, HEADERS_POLICYNAMES=none | x-rate-limit | EPOCH | NONE
					headers: x-rate-limit, headers.reset: epoch       | HEADERS=rate-limit | rate-limit | EPOCH | FULL
					""")
	void aListHasPropertiesBesideItWhichAreSetApart(String yaml, String variables, String headers, ResetFormat reset,
			PolicyNames names) {
		Map<String, Object> environment = new HashMap<>();
		for (String variable : StringUtils.commaDelimitedListToStringArray(variables)) {
			environment.put("RATELIMIT_" + variable.split("=")[0].strip(), variable.split("=")[1]);
		}
		RateLimitProperties properties = bind("ratelimit: { " + yaml + " }", environment);
		assertThat(properties.headers()).extracting(HeaderFamily::toString)
			.containsExactly(headers.toUpperCase(Locale.ROOT).replace('-', '_').split(", "));
		assertThat(properties.headersReset()).isEqualTo(reset);
		assertThat(properties.headersPolicyNames()).isEqualTo(names);
	}

	private static RateLimitProperties bind(String yaml, Map<String, Object> variables) {
		AtomicReference<RateLimitProperties> bound = new AtomicReference<>();
		FailedStart.starting(yaml, variables).run((context) -> bound.set(context.getBean(RateLimitProperties.class)));
		return bound.get();
	}

}
