package io.github.ratelimit.annotation;

import java.util.concurrent.CompletableFuture;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimiterRegistry;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Calls outside of requests whose limits are in shadow: none is rejected, and none waits.
 */
class ShadowCallTests {

	@Test
	void aCallReturnsAtOnceWhateverWouldHaveBecomeOfIt() {
		run((context) -> {
			Service service = context.getBean(Service.class);
			for (int i = 0; i < 4; i++) {
				assertThat(service.plain()).isEqualTo("plain");
			}
			assertThat(context.getBean(ManualDelayScheduler.class).slept()).isEmpty();
			assertThatWasDecided(context, "Service.plain");
		});
	}

	@Test
	void aFutureIsNeitherFailedNorDelayed() {
		run((context) -> {
			Service service = context.getBean(Service.class);
			for (int i = 0; i < 4; i++) {
				assertThat(service.future()).isCompletedWithValue("future");
			}
			assertThat(context.getBean(ManualDelayScheduler.class).later()).isEmpty();
			assertThatWasDecided(context, "Service.future");
		});
	}

	@Test
	void eachSubscriptionIsDecidedAndGoesOn() {
		run((context) -> {
			Mono<String> mono = context.getBean(Service.class).mono();
			Flux<String> flux = context.getBean(Service.class).flux();
			for (int i = 0; i < 4; i++) {
				StepVerifier.create(mono).expectNext("mono").verifyComplete();
				StepVerifier.create(flux).expectNext("a", "b").verifyComplete();
			}
			assertThatWasDecided(context, "Service.mono");
			assertThatWasDecided(context, "Service.flux");
		});
	}

	@Test
	void aConditionAndACostCountAsTheyDoElsewhere() {
		run((context) -> {
			Service service = context.getBean(Service.class);
			service.weighted(2, false);
			service.weighted(2, true);
			service.weighted(2, true);
			assertThat(count(context, "Service.weighted", RateLimitOutcome.ALLOWED)).isEqualTo(1);
			assertThat(count(context, "Service.weighted", RateLimitOutcome.REJECTED)).isEqualTo(1);
		});
	}

	private static void assertThatWasDecided(AssertableApplicationContext context, String policy) {
		assertThat(count(context, policy, RateLimitOutcome.ALLOWED)).isEqualTo(1);
		assertThat(count(context, policy, RateLimitOutcome.DELAYED)).isEqualTo(2);
		assertThat(count(context, policy, RateLimitOutcome.REJECTED)).isEqualTo(1);
	}

	private static long count(AssertableApplicationContext context, String policy, RateLimitOutcome outcome) {
		return context.getBean(RateLimiterRegistry.class).policy(policy).count(outcome);
	}

	private static void run(ContextConsumer<AssertableApplicationContext> test) {
		LimitedBeans.runner().withBean(Service.class).run(test);
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
