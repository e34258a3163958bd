package io.github.ratelimit.autoconfigure;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.annotation.RateLimited;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.PropertiesPropertySource;
import org.springframework.core.env.StandardEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Names of policies that Spring Boot changes, because they are not in brackets.
 */
@ExtendWith(OutputCaptureExtension.class)
class MangledNamesTests {

	private static final String POLICIES = """
			ratelimit:
			  policies:
			    my:Login: { limit: 5, window: 1m }
			    other: { limit: 5, window: 1m }
			""";

	@ParameterizedTest
	@ValueSource(strings = { "my:Login", "my Login", "my.Login", "[my:Login]" })
	void ruleThatNamesAPolicyAsItWasWrittenIsToldToUseBrackets(String name) {
		FailedStart failed = FailedStart.ofServer(POLICIES + "  rules: [{ path: /login, policy: '" + name + "' }]");
		assertThat(failed.description()).startsWith("The property 'ratelimit.rules[0].policy' with the value '" + name
				+ "' names no policy of ratelimit.policies.");
		assertThat(failed.action()).startsWith("There is 'myLogin', which is what Spring Boot makes of '" + name
				+ "' without brackets. Write its name in brackets and quotes: \"[" + name
				+ "]\". Did you mean 'myLogin'?");
	}

	@Test
	void ruleThatNamesAnotherPolicyIsNotToldToUseBrackets() {
		FailedStart failed = FailedStart.ofServer(POLICIES + "  rules: [{ path: /login, policy: mylogn }]");
		assertThat(failed.action()).isEqualTo("Did you mean 'myLogin'? Known: 'myLogin', 'other'.");
	}

	@Test
	void annotationThatNamesAPolicyAsItWasWrittenIsToldToUseBrackets() {
		FailedStart failed = FailedStart.ofServer(POLICIES, Annotated.class);
		assertThat(failed.action())
			.startsWith("There is 'myLogin', which is what Spring Boot makes of 'my:Login' without brackets. ")
			.contains(
					"Add ratelimit.policies[my:Login] to application.yml, where the name is written \"[my:Login]\", or ");
	}

	@Test
	void codeThatNamesAPolicyAsItWasWrittenIsToldToUseBrackets() {
		FailedStart failed = FailedStart.of(POLICIES, Asking.class);
		assertThat(failed.action()).startsWith("There is 'myLogin', which is what Spring Boot makes of 'my:Login'");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			RATELIMIT_POLICIES_SEARCHCONTROLLER_SEARCH_LIMIT | ratelimit.policies.searchcontroller.search.limit
			RATELIMIT_POLICIES_LOGIN_LIMT                    | ratelimit.policies.login.limt
			RATELIMIT_POLICIES_YOUR_LOGIN_LIMIT              | ratelimit.policies.your.login.limit
			""")
	void variableThatIsForNoPolicyIsFound(String variable, String property) {
		assertThat(ignored(Map.of(variable, "10"))).singleElement()
			.asString()
			.startsWith("'" + property + "' (")
			.contains(variable);
	}

	@ParameterizedTest
	@ValueSource(strings = { "RATELIMIT_POLICIES_LOGIN_LIMIT", "RATELIMIT_POLICIES_MY_LOGIN_LIMIT",
			"RATELIMIT_POLICIES_MY_LOGIN_COUNT_REJECTED", "RATELIMIT_POLICIES_MY_LOGIN_LIMITS_0_LIMIT",
			"RATELIMIT_POLICIES_MYLOGIN_LIMIT", "RATELIMIT_PORT", "RATELIMIT_SERVICE_HOST", "PATH" })
	void variableThatIsForAPolicyOrForSomethingElseIsNot(String variable) {
		assertThat(ignored(Map.of(variable, "10"))).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "RATELIMIT", "RATELIMIT_POLICIES", "RATELIMIT_POLICIES_LOGIN", "RATELIMIT_RULES",
			"RATELIMIT_REDIS" })
	void variablesThatAPlatformSetsForAServiceAreNoConfiguration(String service) {
		Map<String, Object> variables = Map.of(service + "_SERVICE_HOST", "10.0.0.11", service + "_SERVICE_PORT",
				"8080", service + "_SERVICE_PORT_HTTP", "8080", service + "_PORT", "tcp://10.0.0.11:8080",
				service + "_PORT_8080_TCP", "tcp://10.0.0.11:8080", service + "_PORT_8080_TCP_PROTO", "tcp",
				service + "_PORT_8080_TCP_PORT", "8080", service + "_PORT_8080_TCP_ADDR", "10.0.0.11");
		assertThat(ignored(variables)).isEmpty();
		new ApplicationContextRunner().withUserConfiguration(FailedStart.Application.class)
			.withInitializer((context) -> {
				FailedStart.setVariables(context.getEnvironment(), variables);
				FailedStart.addProperties(context.getEnvironment(), """
						ratelimit:
						  policies:
						    login: { limit: 5, window: 1m }
						    port: { limit: 5, window: 1m }
						    service: { limit: 5, window: 1m }
						  rules: [{ path: /login, policy: login }]
						""");
			})
			.run((context) -> assertThat(context.getBean(RateLimitProperties.class).policies())
				.containsOnlyKeys("login", "port", "service"));
	}

	@Test
	void portOfAServiceThatNoPolicyIsNamedAfterMakesNoPolicy() {
		new ApplicationContextRunner().withUserConfiguration(FailedStart.Application.class)
			.withInitializer((context) -> FailedStart.setVariables(context.getEnvironment(),
					Map.of("RATELIMIT_POLICIES_PORT", "tcp://10.0.0.11:8080", "RATELIMIT_POLICIES_SERVICE_HOST",
							"10.0.0.11")))
			.run((context) -> assertThat(context.getBean(RateLimitProperties.class).policies()).isEmpty());
	}

	@Test
	void anythingElseInPlaceOfAPolicyIsAMistake() {
		FailedStart failed = FailedStart.of("", Map.of("RATELIMIT_POLICIES_PORT", "8080"));
		assertThat(failed.description()).startsWith(
				"The property 'ratelimit.policies.port' with the value '8080' is a single value in place of properties with "
						+ "names of their own. It was set in \"RATELIMIT_POLICIES_PORT\"");
	}

	@Test
	void systemPropertyWithoutBracketsIsFound() {
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources()
			.replace("systemProperties",
					new PropertiesPropertySource("systemProperties", properties("ratelimit.policies.my.Login.limit",
							"ratelimit.policies[my.Login].limit", "ratelimit.policies.login.limit")));
		assertThat(PropertyNames.findIgnored(environment, policies("login", "my.Login"))).singleElement()
			.asString()
			.startsWith("'ratelimit.policies.my.login.limit' (\"ratelimit.policies.my.Login.limit\"");
	}

	@Test
	void ignoredVariableIsLogged(CapturedOutput output) {
		SpringApplication application = new SpringApplication(RateLimitAutoConfiguration.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		application.setEnvironment(new StandardEnvironment() {

			@Override
			public Map<String, Object> getSystemEnvironment() {
				return Map.of("RATELIMIT_POLICIES_SEARCHCONTROLLER_SEARCH_LIMIT", "10");
			}

		});
		try (ConfigurableApplicationContext context = application.run()) {
			assertThat(FindingCodes.of(context)).containsExactly("RL004 null");
		}
		assertThat(output).contains("Rate limits have no properties 'ratelimit.policies.searchcontroller.search.limit' "
				+ "(System Environment Property \"RATELIMIT_POLICIES_SEARCHCONTROLLER_SEARCH_LIMIT\"), which are ignored.");
	}

	private static List<String> ignored(Map<String, Object> variables) {
		StandardEnvironment environment = new StandardEnvironment();
		FailedStart.setVariables(environment, variables);
		return PropertyNames.findIgnored(environment, policies("login", "my-login"));
	}

	private static Map<String, RateLimitProperties.Policy> policies(String... names) {
		Map<String, RateLimitProperties.Policy> policies = new HashMap<>();
		for (String name : names) {
			policies.put(name, new Binder().bindOrCreate("policy", RateLimitProperties.Policy.class));
		}
		return policies;
	}

	private static Properties properties(String... names) {
		Properties properties = new Properties();
		for (String name : names) {
			properties.setProperty(name, "10");
		}
		return properties;
	}

	static class Annotated {

		@RateLimited("my:Login")
		public void method() {
		}

	}

	static class Asking {

		@Bean
		Object asking(RateLimiterRegistry registry) {
			return registry.policy("my:Login");
		}

	}

}
