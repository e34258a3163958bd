package io.github.ratelimit.annotation;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.request.WaitingRoom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Calls that return a future: no thread waits, and a rejection is a failed future.
 */
class FutureCallTests {

	@Test
	void callWhoseTurnItIsRunsAtOnceOnItsCallersThread() {
		run((context) -> {
			assertThat(context.getBean(Service.class).queued("a").join()).isEqualTo("a");
			assertThat(context.getBean(ManualDelayScheduler.class).later()).isEmpty();
		});
	}

	@Test
	void callWaitsWithoutAThread() {
		run((context) -> {
			Service service = context.getBean(Service.class);
			service.queued("a");
			CompletableFuture<String> second = service.queued("b");
			CompletionStage<String> third = service.queued("c");
			assertThat(context.getBean(ManualDelayScheduler.class).slept()).isEmpty();
			assertThat(context.getBean(ManualDelayScheduler.class).later())
				.extracting(ManualDelayScheduler.Later::delay)
				.containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(2));
			assertThat(service.calls()).isEqualTo(1);
			assertThat(second).isNotDone();
			context.getBean(ManualDelayScheduler.class).later().get(1).task().run();
			context.getBean(ManualDelayScheduler.class).later().get(0).task().run();
			assertThat(second.join()).isEqualTo("b");
			assertThat(third.toCompletableFuture().join()).isEqualTo("c");
		});
	}

	@Test
	void rejectionIsAFailedFuture() {
		run((context) -> {
			Service service = context.getBean(Service.class);
			service.once();
			CompletionStage<String> rejected = service.once();
			assertThat(rejected.toCompletableFuture()).isCompletedExceptionally();
			assertThat(rejected.toCompletableFuture().handle((value, failure) -> failure).join())
				.isInstanceOf(RateLimitExceededException.class);
		});
	}

	@Test
	void callThatIsCancelledWhileItWaitsIsNotRun() {
		run((context) -> {
			Service service = context.getBean(Service.class);
			service.queued("a");
			service.queued("b").cancel(true);
			context.getBean(ManualDelayScheduler.class).later().get(0).task().run();
			assertThat(service.calls()).isEqualTo(1);
		});
	}

	@Test
	void failureOfACallThatWaitedIsTheMethodsOwn() {
		run((context) -> {
			Service service = context.getBean(Service.class);
			service.queued("a");
			CompletableFuture<String> thrown = service.queued("throw");
			CompletableFuture<String> failed = service.queued("fail");
			context.getBean(ManualDelayScheduler.class).later().forEach((later) -> later.task().run());
			assertThat(thrown.handle((value, failure) -> failure).join()).isInstanceOf(IllegalArgumentException.class)
				.hasMessage("thrown");
			assertThat(failed.handle((value, failure) -> failure).join()).isInstanceOf(IllegalArgumentException.class)
				.hasMessage("later");
		});
	}

	@Test
	void callThatNothingWouldRunFails() {
		run((context) -> {
			Service service = context.getBean(Service.class);
			service.queued("a");
			CompletableFuture<String> never = service.queued("b");
			context.getBean(ManualDelayScheduler.class)
				.later()
				.get(0)
				.rejected()
				.accept(new RejectedExecutionException());
			assertThat(never.handle((value, failure) -> failure).join()).isInstanceOf(RejectedExecutionException.class);
		});
	}

	@Test
	void callThatWaitedAndReturnsNoFutureIsDone() {
		run((context) -> {
			Service service = context.getBean(Service.class);
			service.queued("a");
			CompletableFuture<String> none = service.queued("null");
			context.getBean(ManualDelayScheduler.class).later().get(0).task().run();
			assertThat(none.join()).isNull();
		});
	}

	@Test
	void callThatWouldWaitBesideAsManyAsMayFailsUntilOneOfThemWaitsNoMore() {
		LimitedBeans.runner()
			.withBean(Service.class)
			.withPropertyValues("ratelimit.waiting.maximum=1")
			.run((context) -> {
				Service service = context.getBean(Service.class);
				WaitingRoom room = context.getBean(WaitingRoom.class);
				ManualDelayScheduler delayScheduler = context.getBean(ManualDelayScheduler.class);
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
			});
	}

	private static void run(ContextConsumer<AssertableApplicationContext> test) {
		LimitedBeans.runner().withBean(Service.class).run(test);
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
