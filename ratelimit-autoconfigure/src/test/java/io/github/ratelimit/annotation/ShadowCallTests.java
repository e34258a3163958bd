package io.github.ratelimit.annotation;

import java.util.concurrent.CompletableFuture;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Calls outside of requests whose limits are in shadow: none is rejected, and none waits.
 */
class ShadowCallTests {

	@AutoClose
	private final LimitedApplication<Service> application = new LimitedApplication<>(Service.class);

	private final Service service = this.application.bean();

	@Test
	void aCallReturnsAtOnceWhateverWouldHaveBecomeOfIt() {
		for (int i = 0; i < 4; i++) {
			assertThat(this.service.plain()).isEqualTo("plain");
		}
		assertThat(this.application.get(ManualDelayScheduler.class).slept()).isEmpty();
		assertThatWasDecided("Service.plain");
	}

	@Test
	void aFutureIsNeitherFailedNorDelayed() {
		for (int i = 0; i < 4; i++) {
			assertThat(this.service.future()).isCompletedWithValue("future");
		}
		assertThat(this.application.get(ManualDelayScheduler.class).later()).isEmpty();
		assertThatWasDecided("Service.future");
	}

	@Test
	void eachSubscriptionIsDecidedAndGoesOn() {
		Mono<String> mono = this.service.mono();
		Flux<String> flux = this.service.flux();
		for (int i = 0; i < 4; i++) {
			StepVerifier.create(mono).expectNext("mono").verifyComplete();
			StepVerifier.create(flux).expectNext("a", "b").verifyComplete();
		}
		assertThatWasDecided("Service.mono");
		assertThatWasDecided("Service.flux");
	}

	@Test
	void aConditionAndACostCountAsTheyDoElsewhere() {
		this.service.weighted(2, false);
		this.service.weighted(2, true);
		this.service.weighted(2, true);
		assertThat(count("Service.weighted", RateLimitOutcome.ALLOWED)).isEqualTo(1);
		assertThat(count("Service.weighted", RateLimitOutcome.REJECTED)).isEqualTo(1);
	}

	private void assertThatWasDecided(String policy) {
		assertThat(count(policy, RateLimitOutcome.ALLOWED)).isEqualTo(1);
		assertThat(count(policy, RateLimitOutcome.DELAYED)).isEqualTo(2);
		assertThat(count(policy, RateLimitOutcome.REJECTED)).isEqualTo(1);
	}

	private long count(String policy, RateLimitOutcome outcome) {
		return this.application.count(policy, outcome);
	}

	static class Service {

		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1s", burst = 2, key = "'all'",
				mode = RateLimitMode.SHADOW)
		public String plain() {
			return "plain";
		}

		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1s", burst = 2, key = "'all'",
				mode = RateLimitMode.SHADOW)
		public CompletableFuture<String> future() {
			return CompletableFuture.completedFuture("future");
		}

		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1s", burst = 2, key = "'all'",
				mode = RateLimitMode.SHADOW)
		public Mono<String> mono() {
			return Mono.just("mono");
		}

		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1s", burst = 2, key = "'all'",
				mode = RateLimitMode.SHADOW)
		public Flux<String> flux() {
			return Flux.just("a", "b");
		}

		@RateLimited(limit = 3, window = "1d", key = "'all'", cost = "#cost", condition = "#limited",
				mode = RateLimitMode.SHADOW)
		public void weighted(int cost, boolean limited) {
		}

	}

}
