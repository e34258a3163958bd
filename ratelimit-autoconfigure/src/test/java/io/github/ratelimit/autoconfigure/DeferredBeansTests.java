package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.web.servlet.RateLimitRejectionHandler;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What only some requests need is not made while the application starts.
 */
class DeferredBeansTests {

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withUserConfiguration(Application.class);

	@Test
	void answerToRejectionsIsMadeWithTheFirstOne() {
		this.runner.run((context) -> {
			ConfigurableListableBeanFactory beans = context.getSourceApplicationContext().getBeanFactory();
			String[] names = beans.getBeanNamesForType(RateLimitRejectionHandler.class, true, false);
			assertThat(names).hasSize(1);
			assertThat(beans.containsSingleton(names[0])).isFalse();
		});
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
