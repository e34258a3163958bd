package io.github.ratelimit.annotation;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.request.WaitingRoom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Calls that return a future: no thread waits, and a rejection is a failed future.
 */
class FutureCallTests {

	@AutoClose
	private final LimitedApplication<Service> application = new LimitedApplication<>(Service.class);

	private final Service service = this.application.bean();

	@Test
	void callWhoseTurnItIsRunsAtOnceOnItsCallersThread() {
		assertThat(this.service.queued("a").join()).isEqualTo("a");
		assertThat(this.application.get(ManualDelayScheduler.class).later()).isEmpty();
	}

	@Test
	void callWaitsWithoutAThread() {
		this.service.queued("a");
		CompletableFuture<String> second = this.service.queued("b");
		CompletionStage<String> third = this.service.queued("c");
		assertThat(this.application.get(ManualDelayScheduler.class).slept()).isEmpty();
		assertThat(this.application.get(ManualDelayScheduler.class).later())
			.extracting(ManualDelayScheduler.Later::delay)
			.containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(2));
		assertThat(this.service.calls()).isEqualTo(1);
		assertThat(second).isNotDone();
		this.application.get(ManualDelayScheduler.class).later().get(1).task().run();
		this.application.get(ManualDelayScheduler.class).later().get(0).task().run();
		assertThat(second.join()).isEqualTo("b");
		assertThat(third.toCompletableFuture().join()).isEqualTo("c");
	}

	@Test
	void rejectionIsAFailedFuture() {
		this.service.once();
		CompletionStage<String> rejected = this.service.once();
		assertThat(rejected.toCompletableFuture()).isCompletedExceptionally();
		assertThat(rejected.toCompletableFuture().handle((value, failure) -> failure).join())
			.isInstanceOf(RateLimitExceededException.class);
	}

	@Test
	void callThatIsCancelledWhileItWaitsIsNotRun() {
		this.service.queued("a");
		this.service.queued("b").cancel(true);
		this.application.get(ManualDelayScheduler.class).later().get(0).task().run();
		assertThat(this.service.calls()).isEqualTo(1);
	}

	@Test
	void failureOfACallThatWaitedIsTheMethodsOwn() {
		this.service.queued("a");
		CompletableFuture<String> thrown = this.service.queued("throw");
		CompletableFuture<String> failed = this.service.queued("fail");
		this.application.get(ManualDelayScheduler.class).later().forEach((later) -> later.task().run());
		assertThat(thrown.handle((value, failure) -> failure).join()).isInstanceOf(IllegalArgumentException.class)
			.hasMessage("thrown");
		assertThat(failed.handle((value, failure) -> failure).join()).isInstanceOf(IllegalArgumentException.class)
			.hasMessage("later");
	}

	@Test
	void callThatNothingWouldRunFails() {
		this.service.queued("a");
		CompletableFuture<String> never = this.service.queued("b");
		this.application.get(ManualDelayScheduler.class)
			.later()
			.get(0)
			.rejected()
			.accept(new RejectedExecutionException());
		assertThat(never.handle((value, failure) -> failure).join()).isInstanceOf(RejectedExecutionException.class);
	}

	@Test
	void callThatWaitedAndReturnsNoFutureIsDone() {
		this.service.queued("a");
		CompletableFuture<String> none = this.service.queued("null");
		this.application.get(ManualDelayScheduler.class).later().get(0).task().run();
		assertThat(none.join()).isNull();
	}

	@Test
	void callThatWouldWaitBesideAsManyAsMayFailsUntilOneOfThemWaitsNoMore() {
		try (LimitedApplication<Service> application = new LimitedApplication<>(Service.class,
				"ratelimit.waiting.maximum=1")) {
			Service service = application.bean();
			WaitingRoom room = application.get(WaitingRoom.class);
			ManualDelayScheduler delayScheduler = application.get(ManualDelayScheduler.class);
			service.queued("a");
			CompletableFuture<String> waiting = service.queued("b");
			waiting.cancel(true);
			assertThat(room.waiting()).isEqualTo(1);
			assertThat(service.queued("c").handle((value, failure) -> failure).join())
				.isInstanceOfSatisfying(RateLimitExceededException.class, (ex) -> {
					assertThat(ex.decision().queueFull()).isTrue();
					assertThat(ex.retryAfter()).isEqualTo(Duration.ofSeconds(2));
					assertThat(ex).hasMessageContaining("as many wait already as may, try again in 2 s");
				});
			delayScheduler.later().get(0).task().run();
			assertThat(room.waiting()).isZero();
			CompletableFuture<String> next = service.queued("d");
			assertThat(delayScheduler.later().get(1).delay()).isEqualTo(Duration.ofSeconds(2));
			delayScheduler.later().get(1).rejected().accept(new RejectedExecutionException());
			assertThat(next).isCompletedExceptionally();
			assertThat(room.waiting()).isZero();
		}
	}

	static class Service {

		private int calls;

		public int calls() {
			return this.calls;
		}

		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1s", burst = 3)
		public @Nullable CompletableFuture<String> queued(String answer) {
			this.calls++;
			return switch (answer) {
				case "null" -> null;
				case "throw" -> throw new IllegalArgumentException("thrown");
				case "fail" -> CompletableFuture.<String>failedFuture(new IllegalArgumentException("later"))
					.thenApply(String::trim);
				default -> CompletableFuture.completedFuture(answer);
			};
		}

		@RateLimited(limit = 1, window = "1m")
		public CompletionStage<String> once() {
			return CompletableFuture.completedFuture("once");
		}

	}

}
