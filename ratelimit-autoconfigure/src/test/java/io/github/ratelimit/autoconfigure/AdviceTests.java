package io.github.ratelimit.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.time.Duration;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.actuate.RateLimitsEndpointWebExtension;
import io.github.ratelimit.advice.Advice;
import io.github.ratelimit.advice.Advisor;
import io.github.ratelimit.advice.ObservedTraffic;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.core.io.ByteArrayResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The advisor in an application.
 */
class AdviceTests {

	private final WebApplicationContextRunner context = new WebApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(RateLimitAutoConfiguration.class, RateLimitEndpointAutoConfiguration.class))
		.withPropertyValues("management.endpoints.web.exposure.include=ratelimits", "ratelimit.advice.enabled=true",
				"ratelimit.policies.login.limit=2", "ratelimit.policies.login.window=1m");

	@ParameterizedTest
	@ValueSource(strings = { "login", "Search.find(String, int)", "it's \"quoted\"" })
	void suggestedYamlBinds(String name) {
		Advice.Suggestion suggestion = suggestion(name);
		WebApplicationContextRunner runner = new WebApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(RateLimitAutoConfiguration.class))
			.withInitializer((application) -> {
				try {
					new YamlPropertySourceLoader()
						.load("advice", new ByteArrayResource(suggestion.yaml().getBytes(StandardCharsets.UTF_8)))
						.forEach(application.getEnvironment().getPropertySources()::addLast);
				}
				catch (IOException ex) {
					throw new UncheckedIOException(ex);
				}
			});
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
		ObservedTraffic traffic = new Advisor(clock, false).observe(RateLimitPolicy.builder(name)
			.key("header('X-\"Api\\Key')")
			.limit(RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 20, Duration.ofMillis(1500)))
			.build(), (key) -> key);
		for (int i = 0; i < 1000; i++) {
			clock.advance(Duration.ofSeconds(1));
			traffic.observe("caller-" + i % 50, 3);
		}
		Advice.Suggestion suggestion = traffic.advice().suggestion();
		assertThat(suggestion).isNotNull();
		return suggestion;
	}

	@Test
	void endpointTellsAdviceAndWhoIsRejectedMost() {
		this.context.run((application) -> {
			reject(application.getBean(RateLimiterRegistry.class));
			RateLimitsEndpointWebExtension endpoint = application.getBean(RateLimitsEndpointWebExtension.class);
			assertThat(endpoint.overridden(SecurityContext.NONE, "login", "advice", null, null).getBody())
				.extracting("policy", "requests", "callers", "suggestion")
				.containsExactly("login", 5L, 1L, null);
			assertThat(endpoint.overridden(SecurityContext.NONE, "login", "nothing", null, null).getStatus())
				.isEqualTo(404);
			assertThat(endpoint.overridden(SecurityContext.NONE, "other", "advice", null, null).getStatus())
				.isEqualTo(404);
		});
	}

	@ParameterizedTest
	@CsvSource({ "never, false", "when-authorized, false", "when_authorized, false", "ALWAYS, true", "always, true" })
	void keysAreShownOnlyToThoseWhoMaySeeThem(String show, boolean shown) {
		this.context.withPropertyValues("management.endpoint.ratelimits.show-keys=" + show).run((application) -> {
			reject(application.getBean(RateLimiterRegistry.class));
			RateLimitsEndpointWebExtension endpoint = application.getBean(RateLimitsEndpointWebExtension.class);
			String text = endpoint.overridden(SecurityContext.NONE, "login", "rejected", null, null)
				.getBody()
				.toString();
			assertThat(text).contains("rejected=3, error=0").matches("(?s).*hash=[0-9a-f]{16}.*");
			assertThat(text.contains("203.0.113.7")).isEqualTo(shown);
		});
	}

	@Test
	void keysAreShownToUsersWithTheRole() {
		this.context
			.withPropertyValues("management.endpoint.ratelimits.show-keys=when-authorized",
					"management.endpoint.ratelimits.roles=ADMIN")
			.run((application) -> {
				reject(application.getBean(RateLimiterRegistry.class));
				RateLimitsEndpointWebExtension endpoint = application.getBean(RateLimitsEndpointWebExtension.class);
				assertThat(endpoint.overridden(user("ADMIN"), "login", "rejected", null, null).getBody().toString())
					.contains("203.0.113.7");
				assertThat(endpoint.overridden(user("USER"), "login", "rejected", null, null).getBody().toString())
					.doesNotContain("203.0.113.7");
			});
	}

	private static SecurityContext user(String role) {
		return new SecurityContext() {

			@Override
			public Principal getPrincipal() {
				return () -> "ada";
			}

			@Override
			public boolean isUserInRole(String asked) {
				return role.equals(asked);
			}

		};
	}

	@Test
	void nothingIsObservedUnlessItIsTurnedOn() {
		new WebApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(RateLimitAutoConfiguration.class, RateLimitEndpointAutoConfiguration.class))
			.withPropertyValues("management.endpoints.web.exposure.include=ratelimits",
					"ratelimit.policies.login.limit=2", "ratelimit.policies.login.window=1m")
			.run((application) -> {
				RateLimiterRegistry limiters = application.getBean(RateLimiterRegistry.class);
				reject(limiters);
				assertThat(((StoreRateLimiter) limiters.policy("login")).traffic()).isNull();
				assertThat(application.getBean(RateLimitsEndpointWebExtension.class)
					.overridden(SecurityContext.NONE, "login", "advice", null, null)
					.getStatus()).isEqualTo(404);
			});
	}

	private static void reject(RateLimiterRegistry limiters) {
		for (int i = 0; i < 5; i++) {
			limiters.policy("login").decide("203.0.113.7", 1);
		}
	}

}
