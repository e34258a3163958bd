package io.github.ratelimit.autoconfigure;

import java.util.List;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.actuate.RateLimitEndpointAutoConfiguration;
import io.github.ratelimit.annotation.RateLimited;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.test.web.servlet.client.RestTestClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * With {@code spring.main.lazy-initialization} beans come into being when they are first
 * asked for. Mistakes must not wait so long.
 */
class LazyInitializationTests {

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withUserConfiguration(WholeApplication.class)
		.withInitializer(
				(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()));

	@Test
	void mistakeInAnAnnotationFailsStartUp() {
		assertFails(this.runner.withBean(Mistaken.class), "window");
	}

	@Test
	void methodThatCannotBeInterceptedFailsStartUp() {
		assertFails(this.runner.withBean(MistakesInAnnotationsTests.FinalMethod.class)
			.withPropertyValues(FindingCodes.POLICY), "a final method");
	}

	@Test
	void mistakeInAPropertyFailsStartUp() {
		assertFails(this.runner.withPropertyValues("ratelimit.rules[0].path=/login", "ratelimit.rules[0].policy=login"),
				"names no policy");
	}

	private static void assertFails(WebApplicationContextRunner runner, String message) {
		runner.run((context) -> assertThat(context).getFailure()
			.extracting(NestedExceptionUtils::getMostSpecificCause, as(InstanceOfAssertFactories.THROWABLE))
			.isInstanceOf(InvalidRateLimitException.class)
			.hasMessageContaining(message));
	}

	@Test
	void whatTrafficShowsIsLookedForAndRecorded() {
		new ApplicationContextRunner()
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.withConfiguration(
					AutoConfigurations.of(RateLimitAutoConfiguration.class, RateLimitEndpointAutoConfiguration.class))
			.withPropertyValues("management.endpoints.web.exposure.include=ratelimits")
			.run((context) -> assertThat(context.getSourceApplicationContext().getBeanFactory().getSingletonNames())
				.contains("rateLimitLifecycle", "rateLimitHistory"));
	}

	@Test
	void changesAreAuditedAndInstancesReportFromTheStart() {
		this.runner.withPropertyValues("management.endpoints.web.exposure.include=ratelimits")
			.run((context) -> assertThat(context.getSourceApplicationContext().getBeanFactory().getSingletonNames())
				.contains("rateLimitOverrideAudit", "rateLimitInstanceReports"));
	}

	@Test
	void annotatedMethodsAreLimited() {
		this.runner.withBean(ContextLifecycleTests.Limited.class).run(ContextLifecycleTests::assertLimitedOnce);
	}

	@Test
	void rulesAndHandlersOfAServerAreLimited() {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(WholeApplication.class,
				Handlers.class)
			.properties("spring.main.lazy-initialization=true", "server.port=0", "server.address=127.0.0.1",
					"ratelimit.policies.once.limits[0].limit=1", "ratelimit.policies.once.limits[0].window=1d",
					"ratelimit.rules[0].path=/rule", "ratelimit.rules[0].policy=once")
			.run()) {
			RestTestClient client = RestTestClient.bindToServer()
				.baseUrl("http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port"))
				.build();
			for (String path : List.of("/rule", "/annotated")) {
				client.get().uri(path).exchange().expectStatus().isOk();
				client.get().uri(path).exchange().expectStatus().isEqualTo(429);
			}
		}
	}

	static class Mistaken {

		@RateLimited(limit = 1, window = "40d")
		public void mistaken() {
		}

	}

	@RestController
	static class Handlers {

		@GetMapping("/rule")
		String rule() {
			return "limited by a rule";
		}

		@RateLimited(limit = 1, window = "1d")
		@GetMapping("/annotated")
		public String annotated() {
			return "limited by an annotation";
		}

	}

}
