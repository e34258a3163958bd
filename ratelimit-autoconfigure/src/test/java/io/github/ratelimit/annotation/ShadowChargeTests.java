package io.github.ratelimit.annotation;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitShadow;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Calls that are charged by their outcome, in shadow: settled as if they were enforced.
 */
class ShadowChargeTests {

	@Test
	void whatIsNotChargedIsRefundedInShadow() {
		run((context) -> {
			Service service = context.getBean(Service.class);
			for (int i = 0; i < 5; i++) {
				service.tried(0);
			}
			assertThat(count(context, "tried", RateLimitOutcome.REJECTED)).isZero();
			for (int i = 0; i < 3; i++) {
				service.tried(1);
			}
			service.tried(0);
			assertThat(count(context, "tried", RateLimitOutcome.REJECTED)).isEqualTo(2);
		});
	}

	@Test
	void aFutureIsSettledWhenItCompletes() {
		run((context) -> {
			Service service = context.getBean(Service.class);
			CompletableFuture<Integer> first = new CompletableFuture<>();
			CompletableFuture<Integer> second = new CompletableFuture<>();
			service.later(first);
			service.later(second);
			assertThat(remaining(context, "later")).isZero();
			first.complete(0);
			second.complete(1);
			assertThat(remaining(context, "later")).isEqualTo(1);
		});
	}

	@Test
	void aFailureIsAnOutcome() {
		run((context) -> {
			assertThatIllegalStateException().isThrownBy(() -> context.getBean(Service.class).failing());
			assertThat(remaining(context, "failing")).isEqualTo(2);
		});
	}

	@Test
	void aChargeIsEvaluatedOnceForBothSides() {
		run((context) -> {
			Counter counter = context.getBean(Counter.class);
			context.getBean(Service.class).both(0);
			assertThat(counter.charges).isEqualTo(1);
			assertThat(remaining(context, "both")).isEqualTo(2);
			RateLimitShadow shadow = context.getBean(RateLimiterRegistry.class).policy("both").shadow();
			assertThat(shadow).isNotNull();
			for (int i = 0; i < 3; i++) {
				context.getBean(Service.class).both(0);
			}
			assertThat(shadow.count(RateLimitOutcome.ALLOWED)).isEqualTo(4);
			assertThat(shadow.count(RateLimitOutcome.REJECTED)).isZero();
		});
	}

	@Test
	void whatTheEnforcedLimitsRejectIsSettledInShadowToo() {
		run((context) -> {
			Service service = context.getBean(Service.class);
			service.rejected();
			for (int i = 0; i < 5; i++) {
				assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(service::rejected);
			}
			assertThat(count(context, "unless rejected", RateLimitOutcome.ALLOWED)).isEqualTo(6);
			assertThat(remaining(context, "unless rejected")).isEqualTo(1);
		});
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3, 4, 5 })
	void shadowRejectsWhatEnforcementWouldReject(long seed) {
		run((context) -> {
			Random random = new Random(seed);
			Service service = context.getBean(Service.class);
			for (int i = 0; i < 60; i++) {
				int used = random.nextInt(3);
				catchThrowable(() -> service.enforced(used));
				service.tried(used);
				context.getBean(ManualClock.class).advanceNanos(random.nextInt(3) * 20_000_000_000L);
			}
			assertThat(counts(context, "tried")).as("seed %d", seed).isEqualTo(counts(context, "enforced"));
		});
	}

	private static List<Long> counts(AssertableApplicationContext context, String policy) {
		return Arrays.stream(RateLimitOutcome.values()).map((outcome) -> count(context, policy, outcome)).toList();
	}

	private static long count(AssertableApplicationContext context, String policy, RateLimitOutcome outcome) {
		return context.getBean(RateLimiterRegistry.class).policy(policy).count(outcome);
	}

	private static long remaining(AssertableApplicationContext context, String policy) {
		return context.getBean(RateLimiterRegistry.class).peek(policy, "all").remaining();
	}

	private static void run(ContextConsumer<AssertableApplicationContext> test) {
		LimitedBeans.runner()
			.withBean(Service.class)
			.withBean("counter", Counter.class)
			.withPropertyValues("ratelimit.policies.both.limit=2", "ratelimit.policies.both.window=1d",
					"ratelimit.policies.both.key='all'", "ratelimit.policies.both.charge=@counter.charge(result)",
					"ratelimit.policies.both.shadow-limits[0].limit=1",
					"ratelimit.policies.both.shadow-limits[0].window=1d")
			.run(test);
	}

	static class Counter {

		private int charges;

		public int charge(Object result) {
			this.charges++;
			return (Integer) result;
		}

	}

	static class Service {

		@RateLimited(name = "tried", limit = 2, window = "2m", key = "'all'", charge = "result",
				mode = RateLimitMode.SHADOW)
		public int tried(int used) {
			return used;
		}

		@RateLimited(name = "enforced", limit = 2, window = "2m", key = "'all'", charge = "result")
		public int enforced(int used) {
			return used;
		}

		@RateLimited(name = "later", limit = 2, window = "1d", key = "'all'", charge = "result",
				mode = RateLimitMode.SHADOW)
		public CompletableFuture<Integer> later(CompletableFuture<Integer> result) {
			return result;
		}

		@RateLimited(name = "failing", limit = 2, window = "1d", key = "'all'", charge = "exception == null",
				mode = RateLimitMode.SHADOW)
		public void failing() {
			throw new IllegalStateException("for this test");
		}

		@RateLimited("both")
		public int both(int used) {
			return used;
		}

		@RateLimited(name = "rejecting", limit = 1, window = "1d", key = "'all'")
		@RateLimited(name = "unless rejected", limit = 2, window = "1d", key = "'all'", charge = "exception == null",
				mode = RateLimitMode.SHADOW)
		public void rejected() {
		}

	}

}
