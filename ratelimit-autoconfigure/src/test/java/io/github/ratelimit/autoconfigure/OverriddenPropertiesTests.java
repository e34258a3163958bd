package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.StandardEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Numbers of a policy and rules that environment variables, the command line or a profile
 * override. Spring Boot takes a list whole from one place.
 */
class OverriddenPropertiesTests {

	private static final String SINGLE = """
			ratelimit:
			  policies:
			    my-login: { limit: 5, window: 1m }
			""";

	private static final String LIST = """
			ratelimit:
			  policies:
			    login:
			      limits:
			        - { limit: 5, window: 1m }
			        - { limit: 50, window: 1h }
			""";

	private static final String RULES = """
			ratelimit:
			  policies:
			    forms: { limit: 5, window: 1m }
			  rules:
			    - { path: /a, methods: [POST], policy: forms }
			    - { path: /b, methods: [PUT, POST], policy: forms }
			""";

	@Test
	void singleLimitNeedsNoList() {
		policies("""
				ratelimit:
				  policies:
				    queue: { algorithm: leaky-bucket, limit: 10, window: 1s, burst: 20, delay: 4, key: "'global'" }
				    all: { algorithm: leaky-bucket, limit: 10, window: 1s, burst: 20, nodelay: true }
				    log: { algorithm: sliding-window-log, limit: 10, window: 1s, count-rejected: true }
				    plain: { limit: 10, window: 1s }
				""", Map.of(), (registry) -> {
			assertThat(policy(registry, "queue").key()).isEqualTo("'global'");
			assertThat(only(registry, "queue")).isEqualTo(RateLimit.builder(RateLimitAlgorithm.LEAKY_BUCKET)
				.limit(10)
				.window(Duration.ofSeconds(1))
				.burst(20L)
				.delay(4L)
				.build());
			assertThat(only(registry, "all").nodelay()).isTrue();
			assertThat(only(registry, "log").countRejected()).isTrue();
			assertThat(only(registry, "plain"))
				.isEqualTo(RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 10, Duration.ofSeconds(1)));
		});
	}

	@ParameterizedTest
	@CsvSource({ "LIMIT, 10, 10, PT1M, token-bucket", "WINDOW, 1h, 5, PT1H, token-bucket",
			"ALGORITHM, sliding-window-log, 5, PT1M, sliding-window-log" })
	void environmentVariableOverridesOneNumberOfASingleLimit(String number, String value, long limit, Duration window,
			String algorithm) {
		policies(SINGLE, Map.of("RATELIMIT_POLICIES_MY_LOGIN_" + number, value), (registry) -> {
			assertThat(registry.policies()).hasSize(1);
			assertThat(only(registry, "my-login").limit()).isEqualTo(limit);
			assertThat(only(registry, "my-login").window()).isEqualTo(window);
			assertThat(only(registry, "my-login").algorithm().id()).isEqualTo(algorithm);
		});
	}

	@Test
	void commandLineOverridesOneNumberOfASingleLimit() {
		FailedStart.starting(SINGLE, Map.of())
			.withPropertyValues("ratelimit.policies.my-login.burst=9")
			.run((context) -> assertThat(only(context.getBean(RateLimiterRegistry.class), "my-login"))
				.hasToString(RateLimit.builder(RateLimitAlgorithm.TOKEN_BUCKET)
					.limit(5)
					.window(Duration.ofMinutes(1))
					.burst(9L)
					.build()
					.toString()));
	}

	@Test
	void listIsReplacedWhole() {
		policies(LIST,
				Map.of("RATELIMIT_POLICIES_LOGIN_LIMITS_0_LIMIT", "10", "RATELIMIT_POLICIES_LOGIN_LIMITS_0_WINDOW",
						"2m"),
				(registry) -> assertThat(only(registry, "login"))
					.isEqualTo(RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 10, Duration.ofMinutes(2))));
	}

	@Test
	void numberThatIsMissingInAListThatReplacesAnotherIsExplained() {
		FailedStart failed = FailedStart.of(LIST, Map.of("RATELIMIT_POLICIES_LOGIN_LIMITS_0_LIMIT", "10"));
		assertThat(failed.description()).isEqualTo("The property 'ratelimit.policies.login.limits[0].window' is "
				+ "missing. It is set in application.yml - 5:31, but Spring Boot takes a list whole from one place, and "
				+ "another place has a part of this one.");
		assertThat(failed.action()).isEqualTo("Set it to the duration that the permits are for, such as 1m.");
	}

	@Test
	void applicationStartsWithOneNumberFromItsEnvironment() {
		SpringApplication application = new SpringApplication(RateLimitAutoConfiguration.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		application.setDefaultProperties(Map.of("ratelimit.policies.my-login.limit", "5",
				"ratelimit.policies.my-login.window", "1m", "spring.main.banner-mode", "off"));
		application.setEnvironment(new StandardEnvironment() {

			@Override
			public Map<String, Object> getSystemEnvironment() {
				return Map.of("RATELIMIT_POLICIES_MY_LOGIN_LIMIT", "10");
			}

		});
		try (ConfigurableApplicationContext context = application.run("--ratelimit.policies.my-login.burst=7")) {
			assertThat(context.getBean(RateLimiterRegistry.class).policies()).extracting(RateLimiter::policy)
				.extracting(RateLimitPolicy::name, RateLimitPolicy::capacity)
				.containsExactly(tuple("my-login", 7L));
			assertThat(only(context.getBean(RateLimiterRegistry.class), "my-login").limit()).isEqualTo(10);
		}
	}

	@Test
	void bothFormsAtOnceAreRejected() {
		FailedStart failed = FailedStart.of(LIST, Map.of("RATELIMIT_POLICIES_LOGIN_LIMIT", "10"));
		assertThat(failed.description()).isEqualTo("The property 'ratelimit.policies.login.limit' with the value '10' "
				+ "is a number of the policy's only limit, but the policy has the list "
				+ "'ratelimit.policies.login.limits' too. It was set in \"RATELIMIT_POLICIES_LOGIN_LIMIT\" "
				+ "from property source \"systemEnvironment\".");
		assertThat(failed.action())
			.isEqualTo("Write a single limit directly in the policy, or all limits in the list.");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			window: 1m                                              | limit    | is missing
			limit: 5                                                | window   | is missing
			algorithm: leaky-bucket                                 | limit    | is missing
			limit: 5, window: 1m, nodelay: true                     | nodelay  | is not used by the algorithm
			limit: 1000000, window: 1m, algorithm: sliding-window-log | limit  | heavier than
			count-rejected: true, limits: [{ limit: 5, window: 1m }] | count-rejected | has the list
			""")
	void mistakeInASingleLimitIsNamed(String policy, String property, String reason) {
		FailedStart failed = FailedStart.of("ratelimit: { policies: { login: { %s } } }".formatted(policy));
		assertThat(failed.description()).startsWith("The property 'ratelimit.policies.login." + property + "'")
			.contains(reason);
	}

	private static void policies(String yaml, Map<String, Object> variables, Consumer<RateLimiterRegistry> check) {
		FailedStart.starting(yaml, variables)
			.run((context) -> check.accept(context.getBean(RateLimiterRegistry.class)));
	}

	private static RateLimit only(RateLimiterRegistry registry, String policy) {
		return assertThat(policy(registry, policy).limits()).hasSize(1).actual().get(0);
	}

	private static RateLimitPolicy policy(RateLimiterRegistry registry, String name) {
		RateLimiter limiter = registry.policy(name);
		return limiter.policy();
	}

	@Test
	void rulesReplaceThoseOfTheFileWithTheirMethods() {
		rules(List.of("ratelimit.rules[0].path=/c", "ratelimit.rules[0].policy=forms"),
				(rules) -> assertThat(rules).singleElement().satisfies((rule) -> {
					assertThat(rule.path()).isEqualTo("/c");
					assertThat(rule.methods()).isEmpty();
				}));
	}

	@Test
	void methodsReplaceThoseOfTheFile() {
		rules(List.of("ratelimit.rules[0].path=/c", "ratelimit.rules[0].methods[0]=GET",
				"ratelimit.rules[0].policy=forms"),
				(rules) -> assertThat(rules).singleElement()
					.satisfies((rule) -> assertThat(rule.methods()).containsExactly("GET")));
	}

	@Test
	void emptyListReplacesTheRulesOfTheFile() {
		rules(List.of("ratelimit.rules="), (rules) -> assertThat(rules).isEmpty());
	}

	@ParameterizedTest
	@ValueSource(strings = { "method", "methds" })
	void misspeltPartOfAReplacedRuleIsStillReported(String name) {
		FailedStart failed = FailedStart.of(RULES.replace("methods", name),
				Map.of("RATELIMIT_RULES_0_PATH", "/c", "RATELIMIT_RULES_0_POLICY", "forms"));
		assertThat(failed.description()).startsWith("The property 'ratelimit.rules[0]." + name + "' is not known.");
	}

	@Test
	void methodThatDoesNotExistIsReportedWhereItIsSet() {
		FailedStart failed = FailedStart.of(RULES, Map.of("RATELIMIT_RULES_0_PATH", "/c", "RATELIMIT_RULES_0_POLICY",
				"forms", "RATELIMIT_RULES_0_METHODS", "POTS"));
		assertThat(failed.description()).isEqualTo("The property 'ratelimit.rules[0].methods[0]' with the value "
				+ "'POTS' is not an HTTP method. It was set in \"RATELIMIT_RULES_0_METHODS\" "
				+ "from property source \"systemEnvironment\".");
		assertThat(failed.action()).startsWith("Did you mean 'POST'?").doesNotContain("list");
	}

	private static void rules(List<String> overriding, Consumer<List<RateLimitProperties.Rule>> check) {
		FailedStart.starting(RULES, Map.of())
			.withPropertyValues(overriding.toArray(String[]::new))
			.run((context) -> check.accept(context.getBean(RateLimitProperties.class).rules()));
	}

}
