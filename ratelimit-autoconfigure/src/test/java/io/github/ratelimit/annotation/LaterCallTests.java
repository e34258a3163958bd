package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.expression.TestRequest;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.AcquisitionEntry;
import io.github.ratelimit.request.LimitedHttpRequest;
import io.github.ratelimit.request.LimitedRequest;
import io.github.ratelimit.request.ReactivePermits.ReactiveRequest;
import io.github.ratelimit.request.RequestView;
import io.github.ratelimit.request.WaitingRoom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.NonBlocking;
import reactor.test.StepVerifier;
import reactor.test.scheduler.VirtualTimeScheduler;
import reactor.util.context.Context;

import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests calls that return a future or a reactive type: a rejection is its failure, and no
 * thread waits. Each subscription is a call.
 */
class LaterCallTests {

	@AutoClose
	private final LimitedApplication<Service> application = new LimitedApplication<>(Service.class);

	private final Service service = this.application.bean();

	private final List<ManualDelayScheduler.Later> later = this.application.get(ManualDelayScheduler.class).later();

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
	void futureWaitsWithoutAThread() {
		assertThat(this.service.queued("a").join()).isEqualTo("a");
		assertThat(this.later).isEmpty();
		CompletableFuture<String> second = this.service.queued("b");
		CompletionStage<String> third = this.service.queued("c");
		assertThat(this.application.get(ManualDelayScheduler.class).slept()).isEmpty();
		assertThat(this.later).extracting(ManualDelayScheduler.Later::delay)
			.containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(2));
		assertThat(this.service.calls()).isEqualTo(1);
		assertThat(second).isNotDone();
		this.later.get(1).task().run();
		this.later.get(0).task().run();
		assertThat(second.join()).isEqualTo("b");
		assertThat(third.toCompletableFuture().join()).isEqualTo("c");
	}

	@Test
	void rejectionIsAFailedFuture() {
		this.service.once();
		assertThat(failure(this.service.once())).isInstanceOf(RateLimitExceededException.class);
	}

	@Test
	void whatBecomesOfACallThatWaitedIsTheMethodsOwn() {
		this.service.queued("a");
		CompletableFuture<String> thrown = this.service.queued("throw");
		CompletableFuture<String> failed = this.service.queued("fail");
		CompletableFuture<String> none = this.service.queued("null");
		this.later.forEach((later) -> later.task().run());
		assertThat(failure(thrown)).isInstanceOf(IllegalArgumentException.class).hasMessage("thrown");
		assertThat(failure(failed)).isInstanceOf(IllegalArgumentException.class).hasMessage("later");
		assertThat(none.join()).isNull();
	}

	@Test
	void callThatHasWaitedIsLeftAsItsCallerLeavesIt() {
		this.service.queuedUntil(CompletableFuture.completedFuture("first"));
		CompletableFuture<String> completed = new CompletableFuture<>();
		CompletableFuture<String> failed = new CompletableFuture<>();
		CompletableFuture<String> cancelled = new CompletableFuture<>();
		List<CompletableFuture<String>> returned = Stream.of(completed, failed, cancelled)
			.map(this.service::queuedUntil)
			.toList();
		this.later.forEach((later) -> later.task().run());
		returned.get(0).complete("of the caller");
		returned.get(1).completeExceptionally(new IllegalArgumentException("of the caller"));
		returned.get(2).cancel(true);
		assertThat(completed).isCompletedWithValue("of the caller");
		assertThat(failure(failed)).isInstanceOf(IllegalArgumentException.class).hasMessage("of the caller");
		assertThat(cancelled).isCancelled();
	}

	@Test
	void futureThatIsCancelledOrThatNothingWouldRunIsNotRun() {
		this.service.queued("a");
		this.service.queued("b").cancel(true);
		assertThat(this.later).isEmpty();
		CompletableFuture<String> never = this.service.queued("c");
		this.later.get(0).rejected().accept(new RejectedExecutionException());
		assertThat(failure(never)).isInstanceOf(RejectedExecutionException.class);
		assertThat(this.service.calls()).isEqualTo(1);
	}

	@Test
	void futureThatWouldWaitBesideAsManyAsMayFailsUntilOneOfThemWaitsNoMore() {
		try (LimitedApplication<Service> application = new LimitedApplication<>(Service.class,
				"ratelimit.waiting.maximum=1")) {
			Service service = application.bean();
			WaitingRoom room = application.get(WaitingRoom.class);
			List<ManualDelayScheduler.Later> later = application.get(ManualDelayScheduler.class).later();
			service.queued("a");
			CompletableFuture<String> second = service.queued("b");
			assertThat(room.waiting()).isEqualTo(1);
			assertThat(failure(service.queued("c"))).isInstanceOfSatisfying(RateLimitExceededException.class, (ex) -> {
				assertThat(ex.decision().queueFull()).isTrue();
				assertThat(ex.retryAfter()).isEqualTo(Duration.ofSeconds(2));
				assertThat(ex).hasMessageContaining("as many wait already as may, try again in 2 s");
			});
			second.cancel(true);
			assertThat(room.waiting()).isZero();
			CompletableFuture<String> next = service.queued("d");
			assertThat(later.get(0).delay()).isEqualTo(Duration.ofSeconds(2));
			later.get(0).rejected().accept(new RejectedExecutionException());
			assertThat(next).isCompletedExceptionally();
			assertThat(room.waiting()).isZero();
		}
	}

	@Test
	void futureOfAnEventLoopWaitsWithoutAnyThread() {
		assertThat(onEventLoop(() -> this.service.queued("a")).join()).isEqualTo("a");
		CompletableFuture<String> second = onEventLoop(() -> this.service.queued("b"));
		CompletableFuture<String> none = onEventLoop(() -> this.service.queued("null"));
		CompletableFuture<String> thrown = onEventLoop(() -> this.service.queued("throw"));
		assertThat(this.later).isEmpty();
		this.time.advanceTimeBy(Duration.ofSeconds(1));
		assertThat(second.join()).isEqualTo("b");
		assertThat(none).isNotDone();
		this.time.advanceTimeBy(Duration.ofSeconds(2));
		assertThat(none.join()).isNull();
		assertThat(failure(thrown)).hasMessage("thrown");
		assertThat(onEventLoop(this.service::once).toCompletableFuture().join()).isEqualTo("once");
		assertThat(failure(onEventLoop(this.service::once))).isInstanceOf(RateLimitExceededException.class);
	}

	@Test
	void plainCallThatMayHaveToWaitIsRefusedOnAnEventLoopBeforeItTakesAnything() {
		for (int i = 0; i < 2; i++) {
			assertThatIllegalStateException().isThrownBy(() -> onEventLoop(this.service::queuedPlain))
				.withMessage("A rate limit would wait for its turn, which is not supported in thread "
						+ "loop-1. Return a Mono, a Flux or a CompletableFuture from the limited method, or let it "
						+ "suspend; or call it on a thread that may wait, such as those of "
						+ "Schedulers.boundedElastic().");
		}
		assertThat(this.service.queuedPlain()).isEqualTo("queued");
		assertThat(this.application.get(ManualDelayScheduler.class).slept()).isEmpty();
	}

	private static <T> T onEventLoop(Supplier<T> call) {
		CompletableFuture<T> result = new CompletableFuture<>();
		new EventLoop(() -> {
			try {
				result.complete(call.get());
			}
			catch (RuntimeException ex) {
				result.completeExceptionally(ex);
			}
		}).start();
		try {
			return result.join();
		}
		catch (CompletionException ex) {
			throw (RuntimeException) ex.getCause();
		}
	}

	@Test
	void callItselfTakesNothingAndEachSubscriptionDoes() {
		Mono<String> mono = this.service.onceMono();
		this.service.onceMono();
		assertThat(this.service.calls()).isZero();
		StepVerifier.create(mono).expectNext("once").verifyComplete();
		StepVerifier.create(mono).verifyError(RateLimitExceededException.class);
		assertThat(this.service.calls()).isEqualTo(1);
		StepVerifier.create(this.service.onceFlux()).expectNext("a", "b").verifyComplete();
		StepVerifier.create(this.service.onceFlux()).verifyError(RateLimitExceededException.class);
	}

	@Test
	void subscriptionCallsForTheRequestInItsContext() {
		Mono<String> mono = this.service.ofUser("read");
		Serving alice = new Serving("alice", this.application.get(WaitingRoom.class));
		Serving bob = new Serving("bob", alice.room);
		assertThat(this.service.onceMono().contextWrite(alice).block()).isEqualTo("once");
		assertThat(alice.view.principal()).isNull();
		assertThat(mono.contextWrite(alice).block()).isEqualTo("read");
		StepVerifier.create(mono.contextWrite(alice)).verifyError(RateLimitExceededException.class);
		assertThat(mono.contextWrite(bob).block()).isEqualTo("read");
		assertThat(this.service.ofUser("skip").contextWrite(bob).block()).isEqualTo("skip");
		assertThat(mono.block()).isEqualTo("read");
		assertThat(alice.entries).extracting((entry) -> entry.request().key())
			.containsExactly(TestRequest.ADDRESS, "alice", "alice");
		assertThat(bob.entries).extracting((entry) -> entry.request().key()).containsExactly("bob");
	}

	@Test
	void requestThatIsOverIsNoneThatACallBelongsTo() {
		Serving over = new Serving("alice", this.application.get(WaitingRoom.class));
		over.served = false;
		assertThat(this.service.ofUser("read").contextWrite(over).block()).isEqualTo("read");
		assertThat(over.entries).isEmpty();
	}

	@Test
	void whatTheRequestHasDecidedForItsHandlerIsNotDecidedAgain() {
		Mono<String> mono = this.service.onceMono();
		Serving serving = new Serving("alice", this.application.get(WaitingRoom.class));
		serving.enforced = true;
		assertThat(mono.contextWrite(serving).block()).isEqualTo("once");
		assertThat(mono.contextWrite(serving).block()).isEqualTo("once");
		StepVerifier.create(mono.contextWrite(serving)).verifyError(RateLimitExceededException.class);
	}

	@Test
	void requestKnowsHowItsHandlerHasEndedBeforeASubscriberCanEndIt() {
		LimitedHttpRequest request = new LimitedHttpRequest(this.application.get(WaitingRoom.class), Long.MAX_VALUE) {

			@Override
			public RequestView view() {
				return TestRequest.anonymous();
			}

		};
		request.enter(ClassUtils.getMethod(Service.class, "charged"), true, false);
		this.service.charged()
			.doOnComplete(() -> request.settleByStatus(200))
			.contextWrite((context) -> context.put(ReactiveRequest.KEY, request))
			.subscribe();
		this.time.advanceTime();
		assertThat(this.application.remaining("charged", TestRequest.ADDRESS)).isEqualTo(93);
	}

	@Test
	void expressionThatFailsOutsideOfARequestIsAnErrorSignal() {
		StepVerifier.create(this.service.ofUser("fail")).verifyError(StringIndexOutOfBoundsException.class);
	}

	@Test
	void subscriptionWaitsWithoutAThread() {
		Mono<String> mono = this.service.queuedMono();
		StepVerifier.create(mono).expectNext("queued").verifyComplete();
		StepVerifier.create(mono)
			.expectSubscription()
			.then(() -> this.time.advanceTimeBy(Duration.ofMillis(999)))
			.then(() -> assertThat(this.service.calls()).isEqualTo(1))
			.then(() -> this.time.advanceTimeBy(Duration.ofMillis(1)))
			.expectNext("queued")
			.verifyComplete();
		StepVerifier.create(this.service.queuedFlux()).expectNext("a", "b").verifyComplete();
		StepVerifier.create(this.service.queuedFlux())
			.expectSubscription()
			.then(() -> assertThat(this.service.calls()).isEqualTo(3))
			.then(() -> this.time.advanceTimeBy(Duration.ofSeconds(1)))
			.expectNext("a", "b")
			.verifyComplete();
	}

	@Test
	void subscriptionThatIsCancelledWhileItWaitsIsNotRun() {
		this.service.queuedMono().subscribe();
		this.service.queuedMono().subscribe().dispose();
		this.time.advanceTimeBy(Duration.ofSeconds(5));
		assertThat(this.service.calls()).isEqualTo(1);
	}

	@Test
	void failureOfTheMethodIsAnErrorSignal() {
		StepVerifier.create(this.service.fails()).verifyErrorMessage("thrown");
	}

	@Test
	void subscriptionThatWouldWaitBesideAsManyAsMayFailsUntilOneOfThemWaitsNoMore() {
		try (LimitedApplication<Service> application = new LimitedApplication<>(Service.class,
				"ratelimit.waiting.maximum=1")) {
			Service service = application.bean();
			WaitingRoom room = application.get(WaitingRoom.class);
			service.queuedMono().subscribe();
			Disposable second = service.queuedMono().subscribe();
			assertThat(room.waiting()).isEqualTo(1);
			StepVerifier.create(service.queuedFlux()).expectNext("a", "b").verifyComplete();
			StepVerifier.create(service.queuedFlux())
				.verifyErrorSatisfies((failure) -> assertThat(failure).isInstanceOfSatisfying(
						RateLimitExceededException.class, (ex) -> assertThat(ex.decision().queueFull()).isTrue()));
			second.dispose();
			assertThat(room.waiting()).isZero();
			service.queuedFlux().subscribe();
			assertThat(room.waiting()).isEqualTo(1);
			this.time.advanceTimeBy(Duration.ofSeconds(2));
			assertThat(room.waiting()).isZero();
		}
	}

	private static @Nullable Throwable failure(CompletionStage<String> stage) {
		assertThat(stage.toCompletableFuture()).isCompletedExceptionally();
		return stage.handle((value, failure) -> failure).toCompletableFuture().join();
	}

	private static final class EventLoop extends Thread implements NonBlocking {

		EventLoop(Runnable task) {
			super(task, "loop-1");
		}

	}

	/**
	 * A request of a user, as a web stack puts it into the context.
	 */
	private static final class Serving implements ReactiveRequest, Function<Context, Context> {

		private final List<AcquisitionEntry> entries = new ArrayList<>();

		private final String user;

		private final WaitingRoom room;

		private RequestView view = TestRequest.anonymous();

		private boolean served = true;

		private boolean enforced;

		Serving(String user, WaitingRoom room) {
			this.user = user;
			this.room = room;
		}

		@Override
		public Mono<Void> fetch(Predicate<String> mayRead) {
			return Mono.fromRunnable(
					() -> this.view = mayRead.test("principal") ? new TestRequest(this.user, Map.of()) : this.view);
		}

		@Override
		public Context apply(Context context) {
			return context.put(ReactiveRequest.KEY, this);
		}

		@Override
		public RequestView view() {
			return this.view;
		}

		@Override
		public boolean isServed() {
			return this.served;
		}

		@Override
		public boolean consumeEnforced(Method method) {
			boolean enforced = this.enforced;
			this.enforced = false;
			return enforced;
		}

		@Override
		public Acquisition acquisition(Method method) {
			return new Acquisition(this.room);
		}

		@Override
		public void report(Acquisition acquisition) {
			this.entries.addAll(acquisition.entries());
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

		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1s", burst = 3)
		public CompletableFuture<String> queuedUntil(CompletableFuture<String> answer) {
			return answer;
		}

		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1s", burst = 3)
		public String queuedPlain() {
			return "queued";
		}

		@RateLimited(limit = 1, window = "1m")
		public CompletionStage<String> once() {
			return CompletableFuture.completedFuture("once");
		}

		@RateLimited(limit = 1, window = "1m")
		public Mono<String> onceMono() {
			this.calls++;
			return Mono.just("once");
		}

		@RateLimited(limit = 1, window = "1m")
		public Flux<String> onceFlux() {
			return Flux.just("a", "b");
		}

		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1s", burst = 3)
		public Mono<String> queuedMono() {
			this.calls++;
			return Mono.just("queued");
		}

		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1s", burst = 3)
		public Flux<String> queuedFlux() {
			this.calls++;
			return Flux.just("a", "b");
		}

		@RateLimited(limit = 1, window = "1m", key = "principal", condition = "#what != 'skip'",
				cost = "#what == 'fail' ? #what.substring(9) : 1")
		public Mono<String> ofUser(String what) {
			return Mono.just(what);
		}

		/* A charge that calls a bean may take its time. */
		@RateLimited(name = "charged", limit = 100, window = "1m", cost = "10",
				charge = "@environment != null ? result : 0")
		public Flux<Integer> charged() {
			return Flux.just(1, 2, 7);
		}

		@RateLimited(limit = 1, window = "1m")
		public Mono<String> fails() {
			throw new IllegalArgumentException("thrown");
		}

	}

}
