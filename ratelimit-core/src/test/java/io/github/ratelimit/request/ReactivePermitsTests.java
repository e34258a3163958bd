package io.github.ratelimit.request;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitSettlement;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.store.ForwardingDecider;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitSession;
import io.github.ratelimit.store.RateLimitStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * {@link ReactivePermits}: on which thread a store is asked and its answer told, what is
 * left behind by whoever cancels, and what a request that asks for several things at once
 * pays. What is decided is that of a caller who waits.
 */
class ReactivePermitsTests extends Acquiring {

	private static final Method METHOD = ClassUtils.getMethod(List.class, "size");

	private static final Duration MOMENT = Duration.ofMillis(1);

	/* Answers that have yet to come. */
	private final Queue<Runnable> answers = new ConcurrentLinkedQueue<>();

	private boolean answersNothing;

	private final WaitingRoom room = new WaitingRoom(this.clock, 5);

	private void useLateStore() {
		this.registry = registry(new Late(false, () -> {
		}));
	}

	private static void await(BooleanSupplier condition) {
		Flux.interval(MOMENT).takeUntil((tick) -> condition.getAsBoolean()).blockLast(Duration.ofSeconds(30));
	}

	private void answerAll() {
		while (!this.answers.isEmpty()) {
			this.answers.remove().run();
		}
	}

	private static Mono<Boolean> take(Acquisition acquisition, RateLimiter policy, long permits) {
		return ReactivePermits.take(acquisition, List.of(of(policy, "key", permits)));
	}

	@ParameterizedTest
	@CsvSource({ "AT_ONCE, Test worker", "ELSEWHERE, boundedElastic" })
	void aStoreIsAskedOnAThreadThatMayWaitWhereItMakesItsCallersWait(Asking asking, String thread) {
		Thread.currentThread().setName("Test worker");
		List<String> threads = new CopyOnWriteArrayList<>();
		this.registry = registry(asking.of(this.local),
				(policy, key, decision, outcome) -> threads.add(Thread.currentThread().getName()));
		Mono<Boolean> taken = take(this.request, bucket("bucket", 10), 1);
		assertThat(this.request.entries()).as("before it is subscribed to").isEmpty();
		assertThat(taken.block()).isTrue();
		assertThat(threads).singleElement().asString().startsWith(thread);
	}

	@Test
	void aLateAnswerIsToldOnAThreadThatIsNotTheStoresAndWhatIsKnownAtOnce() {
		useLateStore();
		RateLimiter policy = bucket("bucket", 10);
		List<Thread> threads = new ArrayList<>();
		Disposable taken = take(this.request, policy, 1).subscribe((all) -> threads.add(Thread.currentThread()));
		assertThat(taken.isDisposed()).isFalse();
		answerAll();
		await(taken::isDisposed);
		assertThat(threads).extracting(Thread::getName).singleElement().asString().startsWith("parallel");
		take(this.request, policy, 1).subscribe((all) -> threads.add(Thread.currentThread()));
		assertThat(threads).as("the same is paid already").hasSize(2).endsWith(Thread.currentThread());
	}

	@Test
	void aCallIsReportedToItsRequest() {
		RateLimiter policy = bucket("bucket", 10);
		List<Acquisition> reported = new ArrayList<>();
		LimitedRequest request = new LimitedRequest() {

			@Override
			public @Nullable RequestView view() {
				return null;
			}

			@Override
			public Acquisition acquisition(Method method) {
				return new Acquisition(ReactivePermitsTests.this.room);
			}

			@Override
			public void report(Acquisition acquisition) {
				reported.add(acquisition);
			}

		};
		Acquisition acquired = ReactivePermits.acquire(request, METHOD, List.of(of(policy, "key", 11))).block();
		assertThat(reported).containsExactly(acquired);
		assertThat(acquired.rejection()).isNotNull();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void whoCancelsHasTakenAndKeepsNoPlace(boolean delayed) {
		useLateStore();
		RateLimiter queue = queue("queue");
		if (delayed) {
			queue.decide("key", 1);
		}
		Acquisition acquisition = new Acquisition(this.room);
		take(acquisition, queue, 1).subscribe().dispose();
		assertThat(this.room.waiting()).as("until the answer comes").isOne();
		answerAll();
		await(() -> this.room.waiting() == 0);
		assertThat(acquisition.hasSlot()).isFalse();
		await(() -> !acquisition.entries().isEmpty());
	}

	@Test
	void whoCancelsWhileItIsDecidedHereKeepsNoPlace() {
		BaseSubscriber<Boolean> caller = new BaseSubscriber<>() {
		};
		this.registry = registry(this.local, (policy, key, decision, outcome) -> {
			if (outcome == RateLimitOutcome.DELAYED) {
				caller.cancel();
			}
		});
		RateLimiter queue = queue("queue");
		take(new Acquisition(this.room), queue, 1).block();
		take(new Acquisition(this.room), queue, 1).subscribe(caller);
		assertThat(caller.isDisposed()).isTrue();
		assertThat(this.room.waiting()).isZero();
	}

	@Test
	void whatARequestAsksAtOnceItPaysOnce() {
		useLateStore();
		RateLimiter policy = bucket("bucket", 10);
		Queue<Boolean> taken = new ConcurrentLinkedQueue<>();
		for (String location : List.of("here", "there", "there")) {
			take(this.request.call(location), policy, 2).subscribe(taken::add);
		}
		assertThat(this.answers).as("one after the other").hasSize(1);
		await(() -> {
			answerAll();
			return taken.size() == 3;
		});
		assertThat(policy.peek("key").remaining()).isEqualTo(6);
	}

	@Test
	void aThousandCallersHoldNoThread() {
		useLateStore();
		RateLimiter policy = bucket("bucket", 10);
		int threads = Thread.activeCount();
		Queue<Boolean> taken = new ConcurrentLinkedQueue<>();
		for (int i = 0; i < 1000; i++) {
			take(new Acquisition(this.room), policy, 1).subscribe(taken::add);
		}
		assertThat(this.answers).hasSize(1000);
		assertThat(Thread.activeCount() - threads).isLessThan(20);
		answerAll();
		await(() -> taken.size() == 1000);
		assertThat(taken.stream().filter((all) -> all)).hasSize(10);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aStoreThatFailsFailsTheCallerAndFreesThePlace(boolean blocking) {
		this.registry = registry(new Late(blocking, () -> {
			throw new IllegalStateException("down");
		}));
		RateLimiter queue = queue("queue");
		assertThatIllegalStateException().isThrownBy(() -> take(new Acquisition(this.room), queue, 1).block())
			.withMessage("down");
		assertThat(this.room.waiting()).isZero();
	}

	@Test
	void aStoreThatAnswersNothingFailsTheCaller() {
		useLateStore();
		this.answersNothing = true;
		CompletableFuture<Boolean> taken = take(new Acquisition(this.room), queue("queue"), 1).toFuture();
		answerAll();
		assertThat(taken).failsWithin(Duration.ofSeconds(30));
		assertThat(this.room.waiting()).isZero();
	}

	@Test
	void whatIsUnderWayIsSettledWhenItIsThere() {
		useLateStore();
		PermitRequest calls = charged("calls", "4", "false");
		ReactivePermits.take(this.request, List.of(calls)).subscribe();
		ReactivePermits.settle(this.request, this::settle);
		answerAll();
		await(() -> calls.limiter().settlements(RateLimitSettlement.RETURNED) == 1);
		assertThat(remaining(calls)).isEqualTo(10);
	}

	@ParameterizedTest
	@CsvSource({ "AT_ONCE, Test worker", "ELSEWHERE, boundedElastic", "LATER, Test worker" })
	void whatMayTakeItsTimeIsSettledOnAThreadThatMayWait(Asking asking, String thread) {
		Thread.currentThread().setName("Test worker");
		this.registry = registry(asking.of(this.local));
		asking.take(this.request, List.of(charged("calls", "4", "false")));
		Queue<String> threads = new ConcurrentLinkedQueue<>();
		ReactivePermits.settle(this.request, () -> threads.add(Thread.currentThread().getName()));
		await(() -> !threads.isEmpty());
		assertThat(threads).singleElement().asString().startsWith(thread);
	}

	/**
	 * A store that answers when it is told to.
	 */
	private final class Late implements RateLimitStore, RateLimitSession {

		private final boolean blocking;

		private final Runnable beforeAnswers;

		Late(boolean blocking, Runnable beforeAnswers) {
			this.blocking = blocking;
			this.beforeAnswers = beforeAnswers;
		}

		@Override
		public String name() {
			return "late";
		}

		@Override
		public PolicyDecider open(RateLimitPolicy policy) {
			return new ForwardingDecider(ReactivePermitsTests.this.local.open(policy));
		}

		@Override
		public Supplier<RateLimitSession> sessions() {
			return () -> this;
		}

		@Override
		public List<@Nullable RateLimitDecision> decide(List<Question> questions) {
			this.beforeAnswers.run();
			return SeparateSession.INSTANCE.decide(questions);
		}

		@Override
		public void refund(List<Given> given) {
			SeparateSession.INSTANCE.refund(given);
		}

		@Override
		public CompletionStage<List<@Nullable RateLimitDecision>> decideAsync(List<Question> questions) {
			this.beforeAnswers.run();
			CompletableFuture<List<@Nullable RateLimitDecision>> answer = new CompletableFuture<>();
			ReactivePermitsTests.this.answers
				.add(() -> answer.complete(ReactivePermitsTests.this.answersNothing ? null : decide(questions)));
			return answer;
		}

		@Override
		public boolean isBlocking() {
			return this.blocking;
		}

		@Override
		public RateLimitSession call() {
			return this;
		}

	}

}
