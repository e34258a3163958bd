package io.github.ratelimit.annotation;

import java.util.Comparator;
import java.util.List;

import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.autoconfigure.RateLimitAutoConfiguration;
import io.github.ratelimit.autoconfigure.RateLimitMethodAutoConfiguration;
import io.github.ratelimit.policy.StoreRateLimiter;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * All instances of an application give a policy the same alias, in whatever order their
 * virtual machine lists methods.
 */
class PolicyAliasTests {

	@Test
	void configuredPoliciesComeFirstAndAnnotatedOnesInTheOrderOfTheirClassesAndMethods() {
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(RateLimitAutoConfiguration.class, RateLimitMethodAutoConfiguration.class))
			.withPropertyValues("ratelimit.policies.second.limit=1", "ratelimit.policies.second.window=1m",
					"ratelimit.policies.first.limit=1", "ratelimit.policies.first.window=1m", "ratelimit.key='all'")
			.withBean(Zebra.class)
			.withBean(Ant.class)
			.run((context) -> assertThat(names(context.getBean(RateLimiterRegistry.class))).containsExactly("second",
					"first", "Ant.a", "Ant.b", "Ant.c", "Ant.d", "Ant.e", "Ant.f", "Ant.g(String)", "Ant.g(int)",
					"Zebra.run"));
	}

	private static List<String> names(RateLimiterRegistry registry) {
		return registry.policies()
			.stream()
			.map(StoreRateLimiter.class::cast)
			.sorted(Comparator.comparingInt((limiter) -> Integer.parseInt(limiter.alias().substring(1))))
			.map((limiter) -> limiter.policy().name())
			.toList();
	}

	static class Zebra {

		@RateLimited(limit = 1, window = "1m")
		public void run() {
		}

	}

	static class Ant {

		@RateLimited(limit = 1, window = "1m")
		public void e() {
		}

		@RateLimited(limit = 1, window = "1m")
		public void c() {
		}

		@RateLimited(limit = 1, window = "1m")
		public void g(String text) {
		}

		@RateLimited(limit = 1, window = "1m")
		public void g(int number) {
		}

		@RateLimited(limit = 1, window = "1m")
		public void f() {
		}

		@RateLimited(limit = 1, window = "1m")
		public void a() {
		}

		@RateLimited(limit = 1, window = "1m")
		public void d() {
		}

		@RateLimited(limit = 1, window = "1m")
		public void b() {
		}

	}

}
