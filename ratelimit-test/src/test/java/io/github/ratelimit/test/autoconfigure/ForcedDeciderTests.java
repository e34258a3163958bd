package io.github.ratelimit.test.autoconfigure;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitDecisions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.mockito.invocation.Invocation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.mockingDetails;

/**
 * A decider for which nothing is forced.
 */
class ForcedDeciderTests {

	private static final RateLimitPolicy POLICY = RateLimitPolicy.of("api",
			RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 5, Duration.ofMinutes(1)));

	private static final RateLimitDecision GIVEN = RateLimitDecisions.allowed(0, 4, 0, 0, 0);

	/*
	 * A method that was forgotten would have the default of a store that can do less.
	 * What is forced changes answers only once something is.
	 */
	@ParameterizedTest
	@MethodSource("methods")
	void theStoreIsAskedForEverything(Method method) throws ReflectiveOperationException {
		PolicyDecider ofStore = mock();
		PolicyDecider forced = new ForcedDecider(ofStore, POLICY, new RateLimitOutcomes(mock()),
				RateLimitClock.system());
		method.invoke(forced, Arrays.stream(method.getParameterTypes()).map(ForcedDeciderTests::argument).toArray());
		assertThat(mockingDetails(ofStore).getInvocations()).extracting(Invocation::getMethod).containsExactly(method);
	}

	static Stream<Method> methods() {
		return Arrays.stream(PolicyDecider.class.getDeclaredMethods())
			.filter((method) -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic());
	}

	private static Object argument(Class<?> type) {
		if (type == String.class) {
			return "key";
		}
		if (type == long.class) {
			return 1L;
		}
		if (type == RateLimitPolicy.class) {
			return POLICY;
		}
		assertThat(type).isEqualTo(RateLimitDecision.class);
		return GIVEN;
	}

}
