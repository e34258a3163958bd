package io.github.ratelimit.autoconfigure;

import java.util.Arrays;

import io.github.ratelimit.Production;
import io.github.ratelimit.annotation.RateLimited;
import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

class TurnedOffTests {

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withUserConfiguration(Application.class)
		.withPropertyValues("management.endpoints.web.exposure.include=*", "ratelimit.policies.login.limits[0].limit=1",
				"ratelimit.policies.login.limits[0].window=1m", "ratelimit.rules[0].path=/login",
				"ratelimit.rules[0].policy=login");

	@Test
	void nothingOfOursIsThere() {
		this.runner.withPropertyValues("ratelimit.enabled=false").run((context) -> {
			assertThat(ours(context)).isEmpty();
			assertThat(filters(context)).noneMatch((name) -> name.startsWith("rateLimit"));
			assertThat(meters(context)).noneMatch((name) -> name.startsWith("ratelimit"));
			assertThat(AopUtils.isAopProxy(context.getBean(Annotated.class))).isFalse();
		});
	}

	@Test
	void allOfThatIsThereOtherwise() {
		this.runner.run((context) -> {
			assertThat(ours(context)).contains("rateLimiter", "rateLimitsEndpoint", "rateLimitedAspect");
			assertThat(filters(context)).contains("rateLimitFilter");
			assertThat(meters(context)).contains("ratelimit.requests");
			assertThat(AopUtils.isAopProxy(context.getBean(Annotated.class))).isTrue();
		});
	}

	@Test
	void mistakesDoNotMatter() {
		this.runner
			.withPropertyValues("ratelimit.enabled=false", "ratelimit.policies.login.limits[0].limit=-5",
					"ratelimit.rules[0].policy=unknown", "ratelimit.key=clientAdress")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	private static Iterable<String> ours(ApplicationContext context) {
		return Arrays.stream(context.getBeanDefinitionNames()).filter((name) -> {
			Class<?> type = context.getType(name);
			return type != null && Production.CLASSES.contain(type);
		}).toList();
	}

	private static Iterable<String> filters(ApplicationContext context) {
		return Arrays.asList(context.getBeanNamesForType(FilterRegistrationBean.class));
	}

	private static Iterable<String> meters(ApplicationContext context) {
		return context.getBean(MeterRegistry.class)
			.getMeters()
			.stream()
			.map((meter) -> meter.getId().getName())
			.toList();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		Annotated annotated() {
			return new Annotated();
		}

	}

	@RestController
	static class Annotated {

		@RateLimited(limit = 1, window = "1m")
		@GetMapping("/annotated")
		public void annotated() {
		}

	}

}
