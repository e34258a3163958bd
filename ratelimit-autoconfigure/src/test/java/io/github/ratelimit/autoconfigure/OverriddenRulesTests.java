package io.github.ratelimit.autoconfigure;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rules that environment variables, the command line or a profile override. Spring Boot
 * takes a list whole from one place.
 */
class OverriddenRulesTests {

	private static final String RULES = """
			ratelimit:
			  policies:
			    forms: { limit: 5, window: 1m }
			  rules:
			    - { path: /a, methods: [POST], policy: forms }
			    - { path: /b, methods: [PUT, POST], policy: forms }
			""";

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
		assertThat(failed.description()).contains("Property: ratelimit.rules[0]." + name);
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
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(RateLimitAutoConfiguration.class))
			.withInitializer((context) -> FailedStart.addProperties(context.getEnvironment(), RULES))
			.withPropertyValues(overriding.toArray(String[]::new))
			.run((context) -> check.accept(context.getBean(RateLimitProperties.class).rules()));
	}

}
