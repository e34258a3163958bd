package io.github.ratelimit.autoconfigure;

import java.util.Arrays;

import io.github.ratelimit.Production;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.store.RateLimitReceipt;
import io.github.ratelimit.test.ManualClock;
import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.support.AopUtils;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class TurnedOffTests {

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withUserConfiguration(WholeApplication.class, Annotated.class)
		.withPropertyValues("management.endpoints.web.exposure.include=*", "ratelimit.policies.login.limits[0].limit=1",
				"ratelimit.policies.login.limits[0].window=1m", "ratelimit.rules[0].path=/login",
				"ratelimit.rules[0].policy=login");

	private final WebApplicationContextRunner off = this.runner.withPropertyValues("ratelimit.enabled=false");

	@Test
	void nothingOfOursIsThereButAClockAndWhatCodeAsks() {
		this.off.run((context) -> {
			assertThat(ours(context)).containsExactlyInAnyOrder(RateLimitAutoConfiguration.REGISTRY, "rateLimitClock",
					"rateLimitInfo", "rateLimitArguments", RateLimitSwitchAutoConfiguration.class.getName(),
					RateLimitSwitchAutoConfiguration.MvcArguments.class.getName());
			assertThat(filters(context)).noneMatch((name) -> name.startsWith("rateLimit"));
			assertThat(meters(context)).noneMatch((name) -> name.startsWith("ratelimit"));
			assertThat(AopUtils.isAopProxy(context.getBean(Annotated.class))).isFalse();
		});
	}

	@Test
	void allOfThatIsThereOtherwise() {
		this.runner.run((context) -> {
			assertThat(ours(context)).contains(RateLimitAutoConfiguration.REGISTRY, "rateLimitsEndpoint",
					"rateLimitedInterceptor");
			assertThat(filters(context)).contains("io.github.ratelimit.RateLimitFilter");
			assertThat(meters(context)).contains("ratelimit.requests");
			assertThat(AopUtils.isAopProxy(context.getBean(Annotated.class))).isTrue();
		});
	}

	/*
	 * Spring Cloud is not there in this module's tests.
	 */
	@Test
	void nothingIsThereForPropertiesThatChange() {
		this.runner.run((context) -> {
			assertThat(context).hasBean(RuleCompiler.BEAN_NAME).doesNotHaveBean("rateLimitRefresh");
			assertThat(context.getBean("rateLimitPrincipalFilter")).hasFieldOrPropertyWithValue("enabled", false);
		});
	}

	@Test
	void limiterAllowsEverythingOfEveryPolicy() {
		this.off.run((context) -> {
			RateLimiterRegistry registry = context.getBean(RateLimiterRegistry.class);
			for (int i = 0; i < 3; i++) {
				assertThat(registry.decide("login", "me").allowed()).isTrue();
				assertThat(registry.decide("never-heard-of", "me", 1_000).remaining()).isEqualTo(Long.MAX_VALUE);
			}
			registry.reset("login", "me");
			assertThat(registry.policies()).isEmpty();
		});
	}

	@Test
	void limiterOfTheUsersIsTheOnlyOne() {
		RateLimiterRegistry own = StoreRateLimiterRegistry.unlimited(RateLimitClock.system());
		this.off.withBean("own", RateLimiterRegistry.class, () -> own)
			.run((context) -> assertThat(context).getBean(RateLimiterRegistry.class).isSameAs(own));
	}

	@Test
	void timeIsStillThereForABeanThatNeedsIt() {
		this.off.withBean(Timed.class).run((context) -> assertThat(context).hasSingleBean(RateLimitClock.class));
		this.off.withBean(ManualClock.class, ManualClock::atMidnight).run((context) -> {
			assertThat(context).hasSingleBean(RateLimitClock.class);
			RateLimitDecision decision = context.getBean(RateLimiterRegistry.class).decide("login", "me");
			assertThat(RateLimitReceipt.of(decision).decidedAtNanos(0))
				.isEqualTo(context.getBean(ManualClock.class).nanos());
		});
	}

	@Test
	void itIsSaidInOneLine(CapturedOutput output) {
		this.off.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).containsOnlyOnce("Rate limits are turned off, because ratelimit.enabled is false");
	}

	@Test
	void itIsSaidOnceInAHierarchyOfContexts(CapturedOutput output) {
		new SpringApplicationBuilder(WholeApplication.class).web(WebApplicationType.NONE)
			.properties("ratelimit.enabled=false")
			.child(WholeApplication.class)
			.web(WebApplicationType.NONE)
			.run()
			.close();
		assertThat(output).containsOnlyOnce("Rate limits are turned off");
	}

	@Test
	void nothingIsSaidOtherwise(CapturedOutput output) {
		this.runner.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("turned off");
	}

	@Test
	void mistakesDoNotMatter() {
		this.off
			.withPropertyValues("ratelimit.policies.login.limits[0].limit=-5", "ratelimit.rules[0].policy=unknown",
					"ratelimit.key=clientAdress")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@ValueSource(strings = { "no", "off", "0" })
	void otherWordsForFalseAreAnError(String word) {
		this.runner.withPropertyValues("ratelimit.enabled=" + word)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("ratelimit.enabled' is neither true nor false"));
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

	record Timed(RateLimitClock clock) {
	}

	@RestController
	static class Annotated {

		@RateLimited(limit = 1, window = "1m", charge = "true")
		@GetMapping("/annotated")
		public void annotated() {
		}

	}

}
