package io.github.ratelimit.annotation;

import java.time.Duration;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Several limits on one method: all agree, or nothing is taken.
 */
class SeveralPoliciesTests {

	@AutoClose
	private final LimitedApplication<Service> application = new LimitedApplication<>(Service.class,
			"ratelimit.policies.shared.limits[0].limit=3", "ratelimit.policies.shared.limits[0].window=1d");

	private final Service service = this.application.bean();

	@Test
	void rejectionTakesNothingFromTheOthersInWhicheverOrderTheyStand() {
		RateLimiterRegistry limiter = this.application.get(RateLimiterRegistry.class);
		this.service.post("ann");
		for (int i = 0; i < 20; i++) {
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> this.service.post("ann"));
		}
		assertThat(limiter.policy("Service.post").peek("global").remaining()).isEqualTo(2);
		this.service.post("bob");
		this.service.post("cleo");
		assertThat(
				catchThrowableOfType(RateLimitExceededException.class, () -> this.service.post("dora")).policy().name())
			.isEqualTo("Service.post");
		assertThat(limiter.policy("Service.post-2").peek("dora").remaining()).isEqualTo(1);
	}

	@Test
	void limitsOfOneKeyAreDecidedTogether() {
		this.service.together();
		assertThat(catchThrowableOfType(RateLimitExceededException.class, this.service::together).retryAfter())
			.isEqualTo(Duration.ofSeconds(1));
		this.application.get(ManualClock.class).advance(Duration.ofSeconds(1));
		this.service.together();
		this.application.get(ManualClock.class).advance(Duration.ofSeconds(1));
		assertThat(catchThrowableOfType(RateLimitExceededException.class, this.service::together).retryAfter())
			.isEqualTo(Duration.ofHours(12).minusSeconds(2));
	}

	@Test
	void policyAndKeyThatACallMeetsTwiceGiveItsHighestCostOnce() {
		this.service.samePolicyTwice();
		assertThat(this.application.get(RateLimiterRegistry.class).peek("shared", "a").remaining()).isEqualTo(1);
	}

	@Test
	void callWaitsForTheLongestOfItsWaits() {
		this.service.queued();
		this.service.queued();
		assertThat(this.application.get(ManualDelayScheduler.class).slept()).containsExactly(Duration.ofSeconds(2));
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
