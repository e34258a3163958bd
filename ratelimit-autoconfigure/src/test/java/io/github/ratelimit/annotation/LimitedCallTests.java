package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.expression.PolicyBinder;
import io.github.ratelimit.expression.PolicyBinding;
import io.github.ratelimit.expression.RateLimitContext;
import io.github.ratelimit.expression.TestRequest;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.AppliedLocation;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.CurrentRequests;
import io.github.ratelimit.request.LimitedRequest;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.request.RequestView;
import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.test.ManualClock;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatRuntimeException;
import static org.mockito.Mockito.mock;

/**
 * Tests how a {@link LimitedCall} waits, and that one which is charged is settled if it
 * is never made.
 */
class LimitedCallTests {

	private static final Method CALL = ClassUtils.getMethod(Service.class, "call", String.class);

	private static final LimitedMethod PLAIN = returning(String.class);

	private static final LimitedMethod FUTURE = returning(CompletableFuture.class);

	private static final Duration SECOND = Duration.ofSeconds(1);

	private final ManualClock clock = ManualClock.atMidnight();

	private final LocalRateLimitStore store = new LocalRateLimitStore(this.clock, 10);

	private final StoreRateLimiterRegistry registry = new StoreRateLimiterRegistry(this.store, List.of());

	private final StoreRateLimiter queue = this.registry.register(RateLimitPolicy.of("queue",
			RateLimit.builder(RateLimitAlgorithm.LEAKY_BUCKET).limit(1).window(SECOND).burst(5L).build()));

	private final StoreRateLimiter charged = this.registry.register(RateLimitPolicy.builder("charged")
		.charge("exception == null ? 0 : 3")
		.limit(RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 10, SECOND.multipliedBy(60)))
		.build());

	private WaitingRoom room = new WaitingRoom(this.clock, 1);

	private final ManualDelayScheduler delayScheduler = new ManualDelayScheduler(this.clock);

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void onlyARequestThatIsStillServedIsLookedAt() {
		assertThat(keyOf(new Request(TestRequest.anonymous(), true, true), "clientAddress"))
			.contains(TestRequest.ADDRESS);
		String outside = keyOf(new Request(null, true, true), "clientAddress");
		assertThat(outside).doesNotContain(TestRequest.ADDRESS);
		assertThat(keyOf(new Request(TestRequest.anonymous(), false, false), "clientAddress")).isEqualTo(outside);
		assertThat(keyOf(new Request(TestRequest.anonymous(), true, false), "clientAddress")).isEqualTo(outside);
	}

	@Test
	void whatFailsBecauseARequestHasEndedIsNoFailureAndAnyOtherIsOne() {
		RequestView recycled = mock(RequestView.class, (call) -> {
			throw new IllegalStateException("recycled");
		});
		assertThat(keyOf(new Request(recycled, false, false), "clientAddress"))
			.isEqualTo(keyOf(new Request(null, true, true), "clientAddress"));
		String failing = "#user.substring(9)";
		assertThatRuntimeException().isThrownBy(() -> keyOf(new Request(null, true, true), failing));
		assertThatRuntimeException().isThrownBy(() -> keyOf(new Request(null, false, false), failing));
	}

	@Test
	void aPlainCallNeedsAPlaceUnlessItHoldsItsThread() throws Throwable {
		this.room = new WaitingRoom(this.clock, 0);
		wait(this.queue);
		assertThat(call("result", Duration.ZERO).enforce(PLAIN, this.delayScheduler)).isEqualTo("result");
		assertThat(this.delayScheduler.slept()).containsExactly(SECOND);
		this.delayScheduler.holdsThread = false;
		assertThatExceptionOfType(RateLimitExceededException.class)
			.isThrownBy(() -> call("result", Duration.ZERO).enforce(PLAIN, this.delayScheduler));
	}

	@Test
	void aCallWhoseDelayIsOverByThenHoldsNoPlace() throws Throwable {
		wait(this.queue);
		assertThat(call(CompletableFuture.completedFuture("result"), SECOND).enforce(FUTURE, this.delayScheduler))
			.isInstanceOf(CompletableFuture.class);
		assertThat(this.room.waiting()).isZero();
		wait(this.queue);
		Mono<?> mono = (Mono<?>) call(Mono.just("result"), SECOND.multipliedBy(2)).enforce(returning(Mono.class),
				this.delayScheduler);
		assertThat(mono).isNotNull();
		assertThat(mono.block()).isEqualTo("result");
		assertThat(this.room.waiting()).isZero();
	}

	@Test
	void aPlainCallThatIsChargedIsSettledAndLeavesItsPlaceWhateverBecomesOfIt() throws Throwable {
		assertThat(charged("result").enforce(PLAIN, this.delayScheduler)).isEqualTo("result");
		assertThat(this.room.waiting()).isZero();
		assertThat(left()).isEqualTo(10);
		Thread.currentThread().interrupt();
		LimitedCall call = charged("result");
		assertThatExceptionOfType(InterruptedException.class)
			.isThrownBy(() -> call.enforce(PLAIN, this.delayScheduler));
		assertThat(left()).isEqualTo(7);
		assertThat(this.room.waiting()).isZero();
	}

	@Test
	void aFutureThatIsChargedIsSettledIfNobodyWantsItOrItCannotWaitAnyLonger() throws Throwable {
		CompletableFuture<?> future = future();
		assertThat(left()).isEqualTo(9);
		future.cancel(true);
		assertThat(this.delayScheduler.later()).isEmpty();
		assertThat(left()).isEqualTo(7);
		assertThat(this.room.waiting()).isZero();
		assertThat(future()).isNotDone()
			.satisfies((second) -> this.delayScheduler.later()
				.get(0)
				.rejected()
				.accept(new IllegalStateException("shut down")))
			.isCompletedExceptionally();
		assertThat(left()).isEqualTo(4);
		assertThat(this.room.waiting()).isZero();
	}

	@Test
	void aFutureThatHasWaitedIsCancelledWithTheMethodsOwn() throws Throwable {
		CompletableFuture<String> own = new CompletableFuture<>();
		wait(this.queue);
		CompletableFuture<?> future = (CompletableFuture<?>) call(own, Duration.ZERO).enforce(FUTURE,
				this.delayScheduler);
		this.delayScheduler.later().get(0).task().run();
		assertThat(Objects.requireNonNull(future).cancel(true)).isTrue();
		assertThat(own).isCancelled();
	}

	private static LimitedMethod returning(Class<?> type) {
		return new LimitedMethod(CALL, List.of(), type);
	}

	private CompletableFuture<?> future() throws Throwable {
		Object future = charged(CompletableFuture.completedFuture("result")).enforce(FUTURE, this.delayScheduler);
		assertThat(future).isInstanceOf(CompletableFuture.class);
		return (CompletableFuture<?>) future;
	}

	private long left() {
		return this.charged.peek("key").remaining();
	}

	private LimitedCall charged(Object result) {
		wait(this.queue);
		List<PermitRequest> asked = new ArrayList<>();
		binding(this.charged, "'key'").resolve(RateLimitContext.of(TestRequest.anonymous()), null, asked);
		assertThat(asked).hasSize(1);
		return call(result, Duration.ZERO, asked.get(0));
	}

	private static void wait(StoreRateLimiter queue) {
		queue.decide("key", 1);
	}

	/* Time passes between the decision and the wait. */
	private LimitedCall call(Object result, Duration passes, PermitRequest... further) {
		LimitedRequest request = new Request(null, true, true) {

			@Override
			public void report(Acquisition acquisition) {
				LimitedCallTests.this.clock.advance(passes);
			}

		};
		List<PermitRequest> requests = new ArrayList<>(List.of(PermitRequest.of(this.queue, "key", 1)));
		requests.addAll(List.of(further));
		return new LimitedCall(invocation(result), requests, new CurrentRequests(List.of(() -> request), this.room));
	}

	private String keyOf(LimitedRequest request, String key) {
		LimitedMethod method = new LimitedMethod(CALL, List.of(binding(this.queue, key)), void.class);
		LimitedCall call = LimitedCall.of(invocation(""), method, new CurrentRequests(List.of(), this.room), request);
		assertThat(call).isNotNull();
		return call.requests().get(0).key();
	}

	private static PolicyBinding binding(StoreRateLimiter limiter, String key) {
		DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
		return new PolicyBinder(beans, null, null, new RateLimitFindings()).bind(limiter,
				new AppliedLocation("Service.call", key, null, null, null), CALL, null);
	}

	private static MethodInvocation invocation(Object result) {
		return mock(MethodInvocation.class, (call) -> switch (call.getMethod().getName()) {
			case "getMethod" -> CALL;
			case "getArguments" -> new Object[] { "alice" };
			case "getThis" -> new Service();
			case "proceed" -> result;
			default -> throw new AssertionError(call);
		});
	}

	/**
	 * A request that may end while it is looked at.
	 */
	private class Request implements LimitedRequest {

		private final @Nullable RequestView view;

		private final boolean servedAfterwards;

		private boolean served;

		Request(@Nullable RequestView view, boolean served, boolean servedAfterwards) {
			this.view = view;
			this.served = served;
			this.servedAfterwards = servedAfterwards;
		}

		@Override
		public @Nullable RequestView view() {
			this.served = this.servedAfterwards;
			return this.view;
		}

		@Override
		public boolean isServed() {
			return this.served;
		}

		@Override
		public Acquisition acquisition(Method method) {
			return new Acquisition(LimitedCallTests.this.room);
		}

	}

	static class Service {

		public Object call(String user) throws InterruptedException {
			return user;
		}

	}

}
