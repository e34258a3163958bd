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
import io.github.ratelimit.store.SharedOverrides.Outcome;
import io.github.ratelimit.store.SharedOverrides.Snapshot;
import io.github.ratelimit.store.SharedOverrides.Written;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * What is said of a change that a shared store was asked to make.
 */
class OverrideOutcomeTests {

	private static final String POLICY = "login";

	@Test
	void theStatusTellsWhatTheStoreHasReplacedWhateverThisInstanceKnows() {
		SharedOverrides shared = mock();
		given(shared.read(anyLong())).willReturn(new Snapshot(0, 0, null));
		given(shared.write(any(), any(), any(), anyLong(), anyInt())).willReturn(done(2, 1), done(3, 0), done(4, 3));
		RateLimitsEndpointWebExtension endpoint = endpoint(shared);
		assertThat(put(endpoint).getStatus()).as("another instance has put one meanwhile").isEqualTo(200);
		assertThat(put(endpoint).getStatus()).as("another instance has taken it back").isEqualTo(201);
		assertThat(put(endpoint).getStatus()).isEqualTo(200);
	}

	private static Written done(long version, long before) {
		return new Written(Outcome.DONE, version, before);
	}

	@Test
	void changeThatIsNotAnsweredMayHaveBeenMade() {
		SharedOverrides silent = mock(SharedOverrides.class, (call) -> {
			throw new IllegalStateException("timed out");
		});
		RateLimitsEndpointWebExtension endpoint = endpoint(silent);
		for (WebEndpointResponse<Object> answer : List.of(put(endpoint),
				endpoint.takeBack(SecurityContext.NONE, POLICY, "override", null, null, null))) {
			assertThat(answer.getStatus()).isEqualTo(503);
			assertThat(answer.getBody()).isEqualTo(new InvalidOperationException.OperationProblem("Outcome unknown",
					503,
					"The store that all instances share has not answered. It is not known whether the change was made.",
					"GET shows what is in force once the store answers again.", null, null));
		}
	}

	private static WebEndpointResponse<Object> put(RateLimitsEndpointWebExtension endpoint) {
		return endpoint.override(SecurityContext.NONE, POLICY, "{}", null, null, null);
	}

	private static RateLimitsEndpointWebExtension endpoint(SharedOverrides shared) {
		RateLimitStore store = mock();
		given(store.name()).willReturn("shared");
		given(store.open(any())).willReturn(mock());
		given(store.sharedOverrides()).willReturn(shared);
		StoreRateLimiterRegistry registry = new StoreRateLimiterRegistry(store, List.of());
		registry.register(RateLimitPolicy.of(POLICY,
				RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 10, Duration.ofMinutes(1))));
		OverrideReader reader = mock(OverrideReader.class,
				(call) -> RateLimitOverride.of(POLICY).mode(RateLimitMode.SHADOW).build());
		PolicyBinder binder = new PolicyBinder(new DefaultListableBeanFactory(), null, "'all'",
				new RateLimitFindings());
		RunningInstance instance = new RunningInstance(new MockEnvironment(), RateLimitClock.system());
		return new RateLimitsEndpointWebExtension(
				new RateLimitsEndpoint(registry, binder, UnaryOperator.identity(), reader,
						new RateLimitsEndpoint.Parts(instance, null, null, null, true, List::of)),
				Show.NEVER, Set.of());
	}

}
