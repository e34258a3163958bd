package io.github.ratelimit.annotation;

import java.time.Duration;
import java.util.function.Consumer;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.request.WaitingRoom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;
import reactor.test.scheduler.VirtualTimeScheduler;

import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Calls that return a reactive type: each subscription counts, no thread waits, and a
 * rejection is an error signal.
 */
class ReactiveCallTests {

	private VirtualTimeScheduler time;

	@BeforeEach
	void stopTime() {
		this.time = VirtualTimeScheduler.getOrSet();
	}

	@AfterEach
	void letTimeGoOn() {
		VirtualTimeScheduler.reset();
	}

	@Test
	void callItselfTakesNothingAndEachSubscriptionDoes() {
		run((service) -> {
			Mono<String> mono = service.once();
			service.once();
			assertThat(service.calls()).isZero();
			StepVerifier.create(mono).expectNext("once").verifyComplete();
			StepVerifier.create(mono).verifyError(RateLimitExceededException.class);
			assertThat(service.calls()).isEqualTo(1);
		});
	}

	@Test
	void rejectionOfAFluxIsAnErrorSignal() {
		run((service) -> {
			StepVerifier.create(service.many()).expectNext("a", "b").verifyComplete();
			StepVerifier.create(service.many()).verifyError(RateLimitExceededException.class);
		});
	}

	@Test
	void monoWaitsWithoutAThread() {
		run((service) -> {
			StepVerifier.create(service.queued()).expectNext("queued").verifyComplete();
			StepVerifier.create(service.queued())
				.expectSubscription()
				.then(() -> assertThat(service.calls()).isEqualTo(1))
				.then(() -> this.time.advanceTimeBy(Duration.ofMillis(999)))
				.then(() -> assertThat(service.calls()).isEqualTo(1))
				.then(() -> this.time.advanceTimeBy(Duration.ofMillis(1)))
				.expectNext("queued")
				.verifyComplete();
		});
	}

	@Test
	void fluxWaitsWithoutAThread() {
		run((service) -> {
			StepVerifier.create(service.queuedMany()).expectNext("a", "b").verifyComplete();
			StepVerifier.create(service.queuedMany())
				.expectSubscription()
				.then(() -> assertThat(service.calls()).isEqualTo(1))
				.then(() -> this.time.advanceTimeBy(Duration.ofSeconds(1)))
				.expectNext("a", "b")
				.verifyComplete();
		});
	}

	@Test
	void subscriptionThatIsCancelledWhileItWaitsIsNotRun() {
		run((service) -> {
			service.queued().subscribe();
			Disposable second = service.queued().subscribe();
			second.dispose();
			this.time.advanceTimeBy(Duration.ofSeconds(5));
			assertThat(service.calls()).isEqualTo(1);
		});
	}

	@Test
	void failureOfTheMethodIsAnErrorSignal() {
		run((service) -> StepVerifier.create(service.fails()).verifyErrorMessage("thrown"));
	}

	@Test
	void subscribingAgainRunsTheMethodAgain() {
		run((service) -> {
			Mono<String> mono = service.queued();
			StepVerifier.create(mono).expectNext("queued").verifyComplete();
			StepVerifier.create(mono)
				.expectSubscription()
				.then(() -> this.time.advanceTimeBy(Duration.ofSeconds(1)))
				.expectNext("queued")
				.verifyComplete();
			assertThat(service.calls()).isEqualTo(2);
		});
	}

	@Test
	void subscriptionThatWouldWaitBesideAsManyAsMayFailsUntilOneOfThemWaitsNoMore() {
		LimitedBeans.runner()
			.withBean(Service.class)
			.withPropertyValues("ratelimit.waiting.maximum=1")
			.run((context) -> {
				Service service = context.getBean(Service.class);
				WaitingRoom room = context.getBean(WaitingRoom.class);
				service.queued().subscribe();
				Disposable second = service.queued().subscribe();
				assertThat(room.waiting()).isEqualTo(1);
				StepVerifier.create(service.queuedMany()).expectNext("a", "b").verifyComplete();
				StepVerifier.create(service.queuedMany())
					.verifyErrorSatisfies((failure) -> assertThat(failure).isInstanceOfSatisfying(
							RateLimitExceededException.class, (ex) -> assertThat(ex.decision().queueFull()).isTrue()));
				second.dispose();
				assertThat(room.waiting()).isZero();
				service.queuedMany().subscribe();
				assertThat(room.waiting()).isEqualTo(1);
				this.time.advanceTimeBy(Duration.ofSeconds(2));
				assertThat(room.waiting()).isZero();
			});
	}

	private static void run(Consumer<Service> test) {
		ContextConsumer<AssertableApplicationContext> consumer = (context) -> test
			.accept(context.getBean(Service.class));
		LimitedBeans.runner().withBean(Service.class).run(consumer);
	}

	static class Service {

		private int calls;

		public int calls() {
			return this.calls;
		}

		@RateLimited(limit = 1, window = "1m")
		public Mono<String> once() {
			this.calls++;
			return Mono.just("once");
		}

		@RateLimited(limit = 1, window = "1m")
		public Flux<String> many() {
			this.calls++;
			return Flux.just("a", "b");
		}

		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1s", burst = 3)
		public Mono<String> queued() {
			this.calls++;
			return Mono.just("queued");
		}

		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1s", burst = 3)
		public Flux<String> queuedMany() {
			this.calls++;
			return Flux.just("a", "b");
		}

		@RateLimited(limit = 1, window = "1m")
		public Mono<String> fails() {
			throw new IllegalArgumentException("thrown");
		}

	}

}
