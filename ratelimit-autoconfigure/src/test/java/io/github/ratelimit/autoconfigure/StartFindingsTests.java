package io.github.ratelimit.autoconfigure;

import java.util.Map;

import io.github.ratelimit.RateLimiterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.StandardEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is found when an application starts: each mistake gives its code and no other, and
 * an application without a mistake gives none.
 */
class StartFindingsTests {

	@Test
	void applicationWithoutMistakesGivesNone() {
		assertThat(FindingCodes.of(FindingCodes.OWNERS, "management.endpoints.web.exposure.include=*")).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "page", "simulate" })
	void policyWithANameOfTheEndpointIsFound(String name) {
		assertThat(FindingCodes.of(FindingCodes.OWNERS, "management.endpoints.web.exposure.include=*",
				"ratelimit.policies." + name + ".limit=5", "ratelimit.policies." + name + ".window=1m",
				"ratelimit.rules[1].path=/owners/*/pets", "ratelimit.rules[1].policy=" + name))
			.containsExactly("RL025 " + name);
	}

	@ParameterizedTest
	@ValueSource(strings = { "pages", "override" })
	void policyWithAnotherNameGivesNone(String name) {
		assertThat(FindingCodes.of(FindingCodes.OWNERS, "management.endpoints.web.exposure.include=*",
				"ratelimit.policies." + name + ".limit=5", "ratelimit.policies." + name + ".window=1m",
				"ratelimit.rules[1].path=/owners/*/pets", "ratelimit.rules[1].policy=" + name))
			.isEmpty();
	}

	@Test
	void policyWithANameOfAnEndpointThatIsNotThereGivesNone() {
		assertThat(FindingCodes.of("ratelimit.policies.simulate.limit=5", "ratelimit.policies.simulate.window=1m",
				FindingCodes.OWNERS, "ratelimit.rules[1].path=/owners/*/pets", "ratelimit.rules[1].policy=simulate"))
			.isEmpty();
	}

	@Test
	void policyThatNobodyUsesIsFound() {
		assertThat(FindingCodes.of()).containsExactly("RL002 login");
	}

	@ParameterizedTest
	@ValueSource(classes = { Newsletter.class, NewsletterConfiguration.class })
	void policyThatCodeMayAskIsNotFound(Class<?> asking) {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(RateLimitAutoConfiguration.class,
				asking)
			.web(WebApplicationType.NONE)
			.properties(FindingCodes.POLICY)
			.run()) {
			assertThat(FindingCodes.of(context)).isEmpty();
		}
	}

	@Test
	void rulesThatNothingEnforcesAreFound() {
		assertThat(FindingCodes.of(WebApplicationType.NONE, FindingCodes.OWNERS, "ratelimit.rules[0].policy=login"))
			.containsExactly("RL003 null");
	}

	@Test
	void propertiesOfNoPolicyAreFound() {
		StandardEnvironment environment = new StandardEnvironment() {

			@Override
			public Map<String, Object> getSystemEnvironment() {
				return Map.of("RATELIMIT_POLICIES_SEARCHCONTROLLER_SEARCH_LIMIT", "10");
			}

		};
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(RateLimitAutoConfiguration.class)
			.web(WebApplicationType.NONE)
			.environment(environment)
			.run()) {
			assertThat(FindingCodes.of(context)).containsExactly("RL004 null");
		}
	}

	@Test
	void rulesForPreflightsAreFound() {
		assertThat(FindingCodes.of(FindingCodes.OWNERS, "ratelimit.rules[0].methods=GET, OPTIONS"))
			.containsExactly("RL006 login");
	}

	static class Newsletter {

		Newsletter(RateLimiterRegistry registry) {
		}

	}

	@Configuration
	static class NewsletterConfiguration {

		@Bean
		Runnable newsletter(RateLimiterRegistry registry) {
			return () -> registry.decide("login", "all");
		}

	}

}
