package io.github.ratelimit.actuate;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.store.SharedOverrides;
import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * What is said of a change that a shared store has not answered.
 */
class OverrideOutcomeTests {

	private final SharedOverrides shared = mock();

	private final OverrideReader reader = mock();

	private final StoreRateLimiterRegistry registry = new StoreRateLimiterRegistry(store(), List.of());

	private final OverrideOperations operations = new OverrideOperations(this.registry, this.reader,
			(limiter, key) -> key);

	@Test
	void changeThatIsNotAnsweredMayHaveBeenMade() {
		this.registry.register(RateLimitPolicy.of("login",
				RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 10, Duration.ofMinutes(1))));
		given(this.shared.write(any(), any(), any(), anyLong(), anyInt()))
			.willThrow(new IllegalStateException("timed out"));
		given(this.reader.read(any(), any(), any(), any()))
			.willAnswer((call) -> call.<Function<RateLimitOverride, ?>>getArgument(3)
				.apply(RateLimitOverride.of("login").mode(RateLimitMode.SHADOW).build()));
		assertUnknown(this.operations.put("login", "{}", null, null, null, null));
		assertUnknown(this.operations.remove("login", "override", null, null, null, null));
	}

	private static void assertUnknown(WebEndpointResponse<Object> answer) {
		OperationResponseBody unknown = new OperationProblem("Outcome unknown", 503,
				"The store that all instances share has not answered. It is not known whether the change was made.",
				"GET shows what is in force once the store answers again.", null, null);
		assertThat(answer.getStatus()).isEqualTo(503);
		assertThat(answer.getBody()).isEqualTo(unknown);
	}

	private RateLimitStore store() {
		RateLimitStore store = mock();
		PolicyDecider states = mock();
		given(store.name()).willReturn("shared");
		given(store.open(any())).willReturn(states);
		given(store.sharedOverrides()).willReturn(this.shared);
		return store;
	}

}
