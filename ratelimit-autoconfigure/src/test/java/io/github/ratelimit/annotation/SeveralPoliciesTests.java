package io.github.ratelimit.annotation;

import java.time.Duration;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Several limits on one method: all agree, or nothing is taken.
 */
class SeveralPoliciesTests {

	@Test
	void rejectionTakesNothingFromTheOthersInWhicheverOrderTheyStand() {
		run((context) -> {
			Service service = context.getBean(Service.class);
			RateLimiterRegistry limiter = context.getBean(RateLimiterRegistry.class);
			service.post("ann");
			for (int i = 0; i < 20; i++) {
				assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> service.post("ann"));
			}
			assertThat(limiter.policy("Service.post").peek("global").remaining()).isEqualTo(2);
			service.post("bob");
			service.post("cleo");
			assertThat(
					catchThrowableOfType(RateLimitExceededException.class, () -> service.post("dora")).policy().name())
				.isEqualTo("Service.post");
			assertThat(limiter.policy("Service.post-2").peek("dora").remaining()).isEqualTo(1);
		});
	}

	@Test
	void limitsOfOneKeyAreDecidedTogether() {
		run((context) -> {
			Service service = context.getBean(Service.class);
			service.together();
			assertThat(catchThrowableOfType(RateLimitExceededException.class, service::together).retryAfter())
				.isEqualTo(Duration.ofSeconds(1));
			context.getBean(ManualClock.class).advance(Duration.ofSeconds(1));
			service.together();
			context.getBean(ManualClock.class).advance(Duration.ofSeconds(1));
			assertThat(catchThrowableOfType(RateLimitExceededException.class, service::together).retryAfter())
				.isEqualTo(Duration.ofHours(12).minusSeconds(2));
		});
	}

	@Test
	void policyAndKeyThatACallMeetsTwiceGiveItsHighestCostOnce() {
		run((context) -> {
			context.getBean(Service.class).samePolicyTwice();
			assertThat(context.getBean(RateLimiterRegistry.class).peek("shared", "a").remaining()).isEqualTo(1);
		});
	}

	@Test
	void callWaitsForTheLongestOfItsWaits() {
		run((context) -> {
			Service service = context.getBean(Service.class);
			service.queued();
			service.queued();
			assertThat(context.getBean(ManualDelayScheduler.class).slept()).containsExactly(Duration.ofSeconds(2));
		});
	}

	private static void run(ContextConsumer<AssertableApplicationContext> test) {
		LimitedBeans.runner()
			.withPropertyValues("ratelimit.policies.shared.limits[0].limit=3",
					"ratelimit.policies.shared.limits[0].window=1d")
			.withBean(Service.class)
			.run(test);
	}

	static class Service {

		@RateLimited(limit = 3, window = "1d", key = "'global'")
		@RateLimited(limit = 1, window = "1m", key = "#user")
		public void post(String user) {
		}

		@RateLimited(limit = 1, window = "1s")
		@RateLimited(limit = 2, window = "1d")
		public void together() {
		}

		@RateLimited(policy = "shared", key = "'a'")
		@RateLimited(policy = "shared", key = "'a'", cost = "2")
		public void samePolicyTwice() {
		}

		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1s", burst = 1, key = "'a'")
		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "2s", burst = 1, key = "'b'")
		public void queued() {
		}

	}

}
