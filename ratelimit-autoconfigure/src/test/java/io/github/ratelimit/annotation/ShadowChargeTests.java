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
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Calls that are charged by their outcome, in shadow: settled as if they were enforced.
 */
class ShadowChargeTests {

	private final Counter counter = new Counter();

	@AutoClose
	private final LimitedApplication<Service> application = new LimitedApplication<>(Service.class,
			List.of(this.counter), "ratelimit.policies.both.limit=2", "ratelimit.policies.both.window=1d",
			"ratelimit.policies.both.key='all'", "ratelimit.policies.both.charge=@counter.charge(result)",
			"ratelimit.policies.both.shadow-limits[0].limit=1", "ratelimit.policies.both.shadow-limits[0].window=1d");

	private final Service service = this.application.bean();

	@Test
	void whatIsNotChargedIsRefundedInShadow() {
		for (int i = 0; i < 5; i++) {
			this.service.tried(0);
		}
		assertThat(count("tried", RateLimitOutcome.REJECTED)).isZero();
		for (int i = 0; i < 3; i++) {
			this.service.tried(1);
		}
		this.service.tried(0);
		assertThat(count("tried", RateLimitOutcome.REJECTED)).isEqualTo(2);
	}

	@Test
	void aFutureIsSettledWhenItCompletes() {
		CompletableFuture<Integer> first = new CompletableFuture<>();
		CompletableFuture<Integer> second = new CompletableFuture<>();
		this.service.later(first);
		this.service.later(second);
		assertThat(remaining("later")).isZero();
		first.complete(0);
		second.complete(1);
		assertThat(remaining("later")).isEqualTo(1);
	}

	@Test
	void aFailureIsAnOutcome() {
		assertThatIllegalStateException().isThrownBy(() -> this.service.failing());
		assertThat(remaining("failing")).isEqualTo(2);
	}

	@Test
	void aChargeIsEvaluatedOnceForBothSides() {
		this.service.both(0);
		assertThat(this.counter.charges).isEqualTo(1);
		assertThat(remaining("both")).isEqualTo(2);
		RateLimitShadow shadow = this.application.get(RateLimiterRegistry.class).policy("both").shadow();
		assertThat(shadow).isNotNull();
		for (int i = 0; i < 3; i++) {
			this.service.both(0);
		}
		assertThat(shadow.count(RateLimitOutcome.ALLOWED)).isEqualTo(4);
		assertThat(shadow.count(RateLimitOutcome.REJECTED)).isZero();
	}

	@Test
	void whatTheEnforcedLimitsRejectIsSettledInShadowToo() {
		this.service.rejected();
		for (int i = 0; i < 5; i++) {
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(this.service::rejected);
		}
		assertThat(count("unless rejected", RateLimitOutcome.ALLOWED)).isEqualTo(6);
		assertThat(remaining("unless rejected")).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3, 4, 5 })
	void shadowRejectsWhatEnforcementWouldReject(long seed) {
		Random random = new Random(seed);
		for (int i = 0; i < 60; i++) {
			int used = random.nextInt(3);
			catchThrowable(() -> this.service.enforced(used));
			this.service.tried(used);
			this.application.get(ManualClock.class).advanceNanos(random.nextInt(3) * 20_000_000_000L);
		}
		assertThat(counts("tried")).as("seed %d", seed).isEqualTo(counts("enforced"));
	}

	private List<Long> counts(String policy) {
		return Arrays.stream(RateLimitOutcome.values()).map((outcome) -> count(policy, outcome)).toList();
	}

	private long count(String policy, RateLimitOutcome outcome) {
		return this.application.count(policy, outcome);
	}

	private long remaining(String policy) {
		return this.application.remaining(policy, "all");
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
