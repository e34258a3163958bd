package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.annotation.InvalidRateLimitedMethodException;
import io.github.ratelimit.annotation.RateLimited;
import org.junit.jupiter.api.Test;

import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

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
	void mistakeInAnAnnotationEndsTheStart() {
		this.runner.withBean(Mistaken.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidRateLimitException.class)
				.hasMessageContaining("window"));
	}

	@Test
	void methodThatCannotBeInterceptedEndsTheStart() {
		this.runner.withBean(Unreachable.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidRateLimitedMethodException.class)
				.hasMessageContaining("a final method"));
	}

	@Test
	void mistakeInAPropertyEndsTheStart() {
		this.runner.withPropertyValues("ratelimit.rules[0].path=/login", "ratelimit.rules[0].policy=login")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidRateLimitPropertyException.class)
				.hasMessageContaining("names no policy"));
	}

	@Test
	void annotatedMethodsAreLimited() {
		this.runner.withBean(Limited.class).run((context) -> {
			context.getBean(Limited.class).limited();
			assertThatExceptionOfType(RateLimitExceededException.class)
				.isThrownBy(() -> context.getBean(Limited.class).limited());
		});
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

}
