package io.github.ratelimit.actuate;

import java.time.Duration;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.advice.Advice;
import io.github.ratelimit.advice.ObservedTraffic;
import io.github.ratelimit.autoconfigure.FailedStart;
import io.github.ratelimit.autoconfigure.RateLimitAutoConfiguration;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.test.ManualClock;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The advisor in an application.
 */
class AdviceTests {

	private final WebApplicationContextRunner unobserved = new WebApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(RateLimitAutoConfiguration.class, RateLimitEndpointAutoConfiguration.class))
		.withPropertyValues("management.endpoints.web.exposure.include=ratelimits", "ratelimit.policies.login.limit=2",
				"ratelimit.policies.login.window=1m");

	private final WebApplicationContextRunner context = this.unobserved
		.withPropertyValues("ratelimit.advice.enabled=true");

	@ParameterizedTest
	@ValueSource(strings = { "login", "Search.find(String, int)", "it's \"quoted\"" })
	void suggestedYamlBinds(String name) {
		Advice.Suggestion suggestion = suggestion(name);
		WebApplicationContextRunner runner = new WebApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(RateLimitAutoConfiguration.class))
			.withInitializer(
					(application) -> FailedStart.addProperties(application.getEnvironment(), suggestion.yaml()));
		runner.run((bound) -> {
			RateLimitPolicy policy = bound.getBean(RateLimiterRegistry.class).policy(name).policy();
			assertThat(policy.mode()).isEqualTo(RateLimitMode.SHADOW);
			assertThat(policy.key()).isEqualTo("header('X-\"Api\\Key')");
			assertThat(policy.limits()).containsExactly(RateLimit.builder(RateLimitAlgorithm.TOKEN_BUCKET)
				.limit(suggestion.limit())
				.window(Duration.ofNanos(suggestion.window().movePointRight(9).longValueExact()))
				.burst(suggestion.burst())
				.build());
		});
	}

	private static Advice.Suggestion suggestion(String name) {
		ManualClock clock = ManualClock.atMidnight();
		ObservedTraffic traffic = new ObservedTraffic(RateLimitPolicy.builder(name)
			.key("header('X-\"Api\\Key')")
			.limit(RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 20, Duration.ofMillis(1500)))
			.build(), clock);
		for (int i = 0; i < 1000; i++) {
			clock.advance(Duration.ofSeconds(1));
			traffic.observe("caller-" + i % 50, 3);
		}
		Advice.Suggestion suggestion = traffic.advice().suggestion();
		assertThat(suggestion).isNotNull();
		return suggestion;
	}

	@Test
	void endpointTellsAdvice() {
		this.context.run((application) -> {
			reject(application);
			assertThat(ask(application, SecurityContext.NONE, "login", "advice").getBody())
				.extracting("policy", "requests", "callers", "suggestion")
				.containsExactly("login", 5L, 1L, null);
			assertThat(ask(application, SecurityContext.NONE, "login", "nothing").getStatus()).isEqualTo(404);
			assertThat(ask(application, SecurityContext.NONE, "other", "advice").getStatus()).isEqualTo(404);
		});
	}

	@Test
	void whatIsChargedInTheEndIsSaidNotToCount() {
		this.context.withPropertyValues("ratelimit.policies.login.charge=status == 401").run((application) -> {
			reject(application);
			assertThat(ask(application, SecurityContext.NONE, "login", "advice").getBody())
				.extracting("notes", InstanceOfAssertFactories.list(String.class))
				.containsExactly(
						"Every request counts with what it costs when it comes, and not with what it is charged "
								+ "in the end (status == 401): one that is refunded counts, too.");
		});
	}

	@Test
	void nothingIsObservedUnlessItIsTurnedOn() {
		this.unobserved.run((application) -> {
			reject(application);
			RateLimiterRegistry registry = application.getBean(RateLimiterRegistry.class);
			assertThat(((StoreRateLimiter) registry.policy("login")).requestObserver()).isNull();
			WebEndpointResponse<?> answer = ask(application, SecurityContext.NONE, "login", "advice");
			assertThat(answer.getStatus()).isEqualTo(404);
			assertThat(answer.getBody()).extracting("detail", "action")
				.containsExactly("The advisor is turned off, so that no request is observed.",
						"Set ratelimit.advice.enabled to true, and start the application again.");
		});
	}

	private static WebEndpointResponse<?> ask(ApplicationContext application, SecurityContext asking, String policy,
			String what) {
		return application.getBean(RateLimitsEndpointWebExtension.class).detail(asking, policy, what, null, null);
	}

	private static void reject(ApplicationContext application) {
		RateLimiterRegistry registry = application.getBean(RateLimiterRegistry.class);
		for (int i = 0; i < 5; i++) {
			registry.policy("login").decide("203.0.113.7", 1);
		}
	}

}
