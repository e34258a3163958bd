package io.github.ratelimit.autoconfigure;

import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Without Spring Cloud, which this module's tests do not have, nothing is there for
 * properties that change. {@code integration-tests/spring-cloud} has the opposite.
 */
class RefreshWithoutSpringCloudTests {

	@Test
	void nothingFollowsTheEnvironment() {
		new WebApplicationContextRunner().withUserConfiguration(Application.class)
			.withPropertyValues("ratelimit.policies.api.limit=1", "ratelimit.policies.api.window=1m",
					"ratelimit.policies.api.key=clientAddress", "ratelimit.rules[0].path=/a",
					"ratelimit.rules[0].policy=api")
			.run((context) -> {
				assertThat(context).hasNotFailed().hasBean(RuleCompiler.BEAN_NAME);
				assertThat(context).doesNotHaveBean("rateLimitRefresh")
					.doesNotHaveBean(RateLimitRefreshAutoConfiguration.class.getName());
				assertThat(context.getBean("rateLimitPrincipalFilter")).hasFieldOrPropertyWithValue("enabled", false);
			});
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
