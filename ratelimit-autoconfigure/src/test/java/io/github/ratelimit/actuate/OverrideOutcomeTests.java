package io.github.ratelimit.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.expression.PolicyBinder;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.store.SharedOverrides;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * What is said of a change that a shared store has not answered.
 */
class OverrideOutcomeTests {

	@Test
	void changeThatIsNotAnsweredMayHaveBeenMade() {
		SharedOverrides silent = mock(SharedOverrides.class, (call) -> {
			throw new IllegalStateException("timed out");
		});
		RateLimitStore store = mock();
		given(store.name()).willReturn("shared");
		given(store.open(any())).willReturn(mock());
		given(store.sharedOverrides()).willReturn(silent);
		StoreRateLimiterRegistry registry = new StoreRateLimiterRegistry(store, List.of());
		registry.register(RateLimitPolicy.of("login",
				RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 10, Duration.ofMinutes(1))));
		OverrideReader reader = mock(OverrideReader.class,
				(call) -> RateLimitOverride.of("login").mode(RateLimitMode.SHADOW).build());
		PolicyBinder binder = new PolicyBinder(new DefaultListableBeanFactory(), null, "'all'",
				new RateLimitFindings());
		RunningInstance instance = new RunningInstance(new MockEnvironment(), RateLimitClock.system());
		RateLimitsEndpointWebExtension endpoint = new RateLimitsEndpointWebExtension(
				new RateLimitsEndpoint(registry, binder, UnaryOperator.identity(), reader,
						new RateLimitsEndpoint.Parts(instance, null, null, null, true, List::of)),
				Show.NEVER, Set.of());
		for (WebEndpointResponse<Object> answer : List.of(
				endpoint.override(SecurityContext.NONE, "login", "{}", null, null, null),
				endpoint.takeBack(SecurityContext.NONE, "login", "override", null, null, null))) {
			assertThat(answer.getStatus()).isEqualTo(503);
			assertThat(answer.getBody()).isEqualTo(new InvalidOperationException.OperationProblem("Outcome unknown",
					503,
					"The store that all instances share has not answered. It is not known whether the change was made.",
					"GET shows what is in force once the store answers again.", null, null));
		}
	}

}
