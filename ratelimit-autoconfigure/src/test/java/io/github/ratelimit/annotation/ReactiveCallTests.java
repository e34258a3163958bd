package io.github.ratelimit.annotation;

import java.time.Duration;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.request.WaitingRoom;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;
import reactor.test.scheduler.VirtualTimeScheduler;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Calls that return a reactive type: each subscription counts, no thread waits, and a
 * rejection is an error signal.
 */
class ReactiveCallTests {

	@AutoClose
	private final LimitedApplication<Service> application = new LimitedApplication<>(Service.class);

	private final Service service = this.application.bean();

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
		Mono<String> mono = this.service.once();
		this.service.once();
		assertThat(this.service.calls()).isZero();
		StepVerifier.create(mono).expectNext("once").verifyComplete();
		StepVerifier.create(mono).verifyError(RateLimitExceededException.class);
		assertThat(this.service.calls()).isEqualTo(1);
	}

	@Test
	void rejectionOfAFluxIsAnErrorSignal() {
		StepVerifier.create(this.service.many()).expectNext("a", "b").verifyComplete();
		StepVerifier.create(this.service.many()).verifyError(RateLimitExceededException.class);
	}

	@Test
	void monoWaitsWithoutAThread() {
		StepVerifier.create(this.service.queued()).expectNext("queued").verifyComplete();
		StepVerifier.create(this.service.queued())
			.expectSubscription()
			.then(() -> assertThat(this.service.calls()).isEqualTo(1))
			.then(() -> this.time.advanceTimeBy(Duration.ofMillis(999)))
			.then(() -> assertThat(this.service.calls()).isEqualTo(1))
			.then(() -> this.time.advanceTimeBy(Duration.ofMillis(1)))
			.expectNext("queued")
			.verifyComplete();
	}

	@Test
	void fluxWaitsWithoutAThread() {
		StepVerifier.create(this.service.queuedMany()).expectNext("a", "b").verifyComplete();
		StepVerifier.create(this.service.queuedMany())
			.expectSubscription()
			.then(() -> assertThat(this.service.calls()).isEqualTo(1))
			.then(() -> this.time.advanceTimeBy(Duration.ofSeconds(1)))
			.expectNext("a", "b")
			.verifyComplete();
	}

	@Test
	void subscriptionThatIsCancelledWhileItWaitsIsNotRun() {
		this.service.queued().subscribe();
		Disposable second = this.service.queued().subscribe();
		second.dispose();
		this.time.advanceTimeBy(Duration.ofSeconds(5));
		assertThat(this.service.calls()).isEqualTo(1);
	}

	@Test
	void failureOfTheMethodIsAnErrorSignal() {
		StepVerifier.create(this.service.fails()).verifyErrorMessage("thrown");
	}

	@Test
	void subscribingAgainRunsTheMethodAgain() {
		Mono<String> mono = this.service.queued();
		StepVerifier.create(mono).expectNext("queued").verifyComplete();
		StepVerifier.create(mono)
			.expectSubscription()
			.then(() -> this.time.advanceTimeBy(Duration.ofSeconds(1)))
			.expectNext("queued")
			.verifyComplete();
		assertThat(this.service.calls()).isEqualTo(2);
	}

	@Test
	void subscriptionThatWouldWaitBesideAsManyAsMayFailsUntilOneOfThemWaitsNoMore() {
		try (LimitedApplication<Service> application = new LimitedApplication<>(Service.class,
				"ratelimit.waiting.maximum=1")) {
			Service service = application.bean();
			WaitingRoom room = application.get(WaitingRoom.class);
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
		}
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
