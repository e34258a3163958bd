package io.github.ratelimit.autoconfigure;

import java.util.List;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.annotation.RateLimited;
import org.junit.jupiter.api.Test;

import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.web.servlet.client.RestTestClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * With {@code spring.main.lazy-initialization} beans come into being when they are first
 * asked for. Mistakes must not wait so long.
 */
class LazyInitializationTests {

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withUserConfiguration(Application.class)
		.withInitializer(
				(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()));

	@Test
	void mistakeInAnAnnotationFailsStartUp() {
		this.runner.withBean(Mistaken.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidRateLimitException.class)
				.hasMessageContaining("window"));
	}

	@Test
	void methodThatCannotBeInterceptedFailsStartUp() {
		this.runner.withBean(Unreachable.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidRateLimitException.class)
				.hasMessageContaining("a final method"));
	}

	@Test
	void mistakeInAPropertyFailsStartUp() {
		this.runner.withPropertyValues("ratelimit.rules[0].path=/login", "ratelimit.rules[0].policy=login")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidRateLimitException.class)
				.hasMessageContaining("names no policy"));
	}

	@Test
	void whatShowsAfterTrafficIsLookedFor() {
		this.runner.run((context) -> assertThat(
				context.getSourceApplicationContext().getBeanFactory().containsSingleton("rateLimitFindingsLifecycle"))
			.isTrue());
	}

	@Test
	void annotatedMethodsAreLimited() {
		this.runner.withBean(Limited.class).run((context) -> {
			context.getBean(Limited.class).limited();
			assertThatExceptionOfType(RateLimitExceededException.class)
				.isThrownBy(() -> context.getBean(Limited.class).limited());
		});
	}

	@Test
	void rulesAndHandlersOfAServerAreLimited() {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class, OpenToAll.class,
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

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

	static class Mistaken {

		@RateLimited(limit = 1, window = "40d")
		public void mistaken() {
		}

	}

	static class Unreachable {

		@RateLimited(limit = 1, window = "1m")
		public final void unreachable() {
		}

	}

	static class Limited {

		@RateLimited(limit = 1, window = "1m")
		public void limited() {
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
