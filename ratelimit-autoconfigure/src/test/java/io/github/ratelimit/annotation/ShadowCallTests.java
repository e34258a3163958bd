package io.github.ratelimit.annotation;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

import io.github.ratelimit.RateLimitAlgorithm;
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
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests calls whose limits are in shadow: none is rejected and none waits, and what is
 * charged by its outcome is settled as if it were enforced.
 */
class ShadowCallTests {

	private final Counter counter = new Counter();

	@AutoClose
	private final LimitedApplication<Service> application = new LimitedApplication<>(Service.class,
			List.of(this.counter), "ratelimit.policies.both.limit=2", "ratelimit.policies.both.window=1d",
			"ratelimit.policies.both.key='all'", "ratelimit.policies.both.charge=@counter.charge(result)",
			"ratelimit.policies.both.shadow-limits[0].limit=1", "ratelimit.policies.both.shadow-limits[0].window=1d");

	private final Service service = this.application.bean();

	@Test
	void aCallReturnsAtOnceWhateverWouldHaveBecomeOfIt() {
		Mono<String> mono = this.service.mono();
		Flux<String> flux = this.service.flux();
		for (int i = 0; i < 4; i++) {
			assertThat(this.service.plain()).isEqualTo("plain");
			assertThat(this.service.future()).isCompletedWithValue("future");
			StepVerifier.create(mono).expectNext("mono").verifyComplete();
			StepVerifier.create(flux).expectNext("a", "b").verifyComplete();
		}
		assertThat(this.application.get(ManualDelayScheduler.class).slept()).isEmpty();
		assertThat(this.application.get(ManualDelayScheduler.class).later()).isEmpty();
		for (String policy : new String[] { "plain", "future", "mono", "flux" }) {
			assertThat(count("Service." + policy, RateLimitOutcome.ALLOWED)).as(policy).isEqualTo(1);
			assertThat(count("Service." + policy, RateLimitOutcome.DELAYED)).as(policy).isEqualTo(2);
			assertThat(count("Service." + policy, RateLimitOutcome.REJECTED)).as(policy).isEqualTo(1);
		}
	}

	@Test
	void aConditionAndACostCountAsTheyDoElsewhere() {
		this.service.weighted(2, false);
		this.service.weighted(2, true);
		this.service.weighted(2, true);
		assertThat(count("Service.weighted", RateLimitOutcome.ALLOWED)).isEqualTo(1);
		assertThat(count("Service.weighted", RateLimitOutcome.REJECTED)).isEqualTo(1);
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
		for (int i = 1; i <= 4; i++) {
			this.service.both(0);
			assertThat(this.counter.charges).isEqualTo(i);
			assertThat(remaining("both")).isEqualTo(2);
		}
		RateLimitShadow shadow = this.application.get(RateLimiterRegistry.class).policy("both").shadow();
		assertThat(shadow).isNotNull();
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
		assertThat(count("tried", RateLimitOutcome.REJECTED)).isPositive();
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

	@Retention(RetentionPolicy.RUNTIME)
	@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1s", burst = 2, key = "'all'",
			mode = RateLimitMode.SHADOW)
	@interface QueuedInShadow {

	}

	static class Service {

		@QueuedInShadow
		public String plain() {
			return "plain";
		}

		@QueuedInShadow
		public CompletableFuture<String> future() {
			return CompletableFuture.completedFuture("future");
		}

		@QueuedInShadow
		public Mono<String> mono() {
			return Mono.just("mono");
		}

		@QueuedInShadow
		public Flux<String> flux() {
			return Flux.just("a", "b");
		}

		@RateLimited(limit = 3, window = "1d", key = "'all'", cost = "#cost", condition = "#limited",
				mode = RateLimitMode.SHADOW)
		public void weighted(int cost, boolean limited) {
		}

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
