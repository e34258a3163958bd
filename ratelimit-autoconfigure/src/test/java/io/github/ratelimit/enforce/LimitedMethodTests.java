package io.github.ratelimit.enforce;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.expression.ExpressionCompiler;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link LimitedMethod}: what is known of a method before it is called.
 */
class LimitedMethodTests {

	private static final Method METHOD = ClassUtils.getMethod(Service.class, "call", String.class);

	private final LocalRateLimitStore store = new LocalRateLimitStore(ManualClock.atMidnight(), 10);

	private final StoreRateLimiter limiter = new StoreRateLimiterRegistry(this.store, List.of()).register(
			RateLimitPolicy.of("calls", RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 10, Duration.ofMinutes(1))));

	private final PolicyBinding plain = binding("'all'", "");

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void aMethodWithoutLimitsIsUnlimited() {
		assertThat(method().isUnlimited()).isTrue();
		assertThat(method(this.plain).isUnlimited()).isFalse();
		assertThat(method(this.plain).bindings()).containsExactly(this.plain);
	}

	@Test
	void oneLimitThatReadsAnArgumentNeedsTheArguments() {
		assertThat(method(this.plain).needsArguments()).isFalse();
		assertThat(method(this.plain, binding("#user", "")).needsArguments()).isTrue();
	}

	@Test
	void oneLimitWithAChargeMakesTheMethodCharged() {
		assertThat(method(this.plain).isCharged()).isFalse();
		assertThat(method(this.plain, binding("'all'", "exception == null")).isCharged()).isTrue();
	}

	private static LimitedMethod method(PolicyBinding... bindings) {
		return new LimitedMethod(METHOD, Stream.of(bindings).toList(), Object.class);
	}

	private PolicyBinding binding(String key, String charge) {
		DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
		return new PolicyBinder(beans, ExpressionCompiler.defaultKey("'all'", beans)).bindMethod(this.limiter, METHOD,
				"Service.call", key, "", "", charge);
	}

	static class Service {

		public Object call(String user) {
			return user;
		}

	}

}
