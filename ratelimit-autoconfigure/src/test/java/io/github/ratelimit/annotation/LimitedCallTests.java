package io.github.ratelimit.annotation;

import java.io.IOException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.expression.PolicyBinder;
import io.github.ratelimit.expression.PolicyBinding;
import io.github.ratelimit.expression.RateLimitContext;
import io.github.ratelimit.expression.TestRequest;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.CurrentRequests;
import io.github.ratelimit.request.DelayScheduler;
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

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatRuntimeException;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * {@link LimitedCall}, how it waits, and that one which is charged is settled if it is
 * never made.
 */
class LimitedCallTests {

	private static final Method CALL = ClassUtils.getMethod(Service.class, "call", String.class);

	private static final Method READ = ClassUtils.getMethod(Service.class, "read", String.class);

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

	private WaitingRoom room = new WaitingRoom(1);

	private final Waits delayScheduler = new Waits();

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void aRequestThatIsServedIsLookedAt() {
		assertThat(keyOf(new Request(TestRequest.anonymous(), true, true), "clientAddress"))
			.contains(TestRequest.ADDRESS);
	}

	@Test
	void ofARequestThatHasEndedNothingIsUsed() {
		String outside = keyOf(new Request(null, true, true), "clientAddress");
		assertThat(outside).doesNotContain(TestRequest.ADDRESS);
		assertThat(keyOf(new Request(TestRequest.anonymous(), false, false), "clientAddress")).isEqualTo(outside);
		assertThat(keyOf(new Request(TestRequest.anonymous(), true, false), "clientAddress")).isEqualTo(outside);
	}

	@Test
	void whatFailsBecauseARequestHasEndedIsNoFailure() {
		RequestView recycled = mock(RequestView.class, (call) -> {
			throw new IllegalStateException("recycled");
		});
		assertThat(keyOf(new Request(recycled, false, false), "clientAddress"))
			.isEqualTo(keyOf(new Request(null, true, true), "clientAddress"));
	}

	@Test
	void anyOtherFailureIsOne() {
		String failing = "#user.substring(9)";
		assertThatRuntimeException().isThrownBy(() -> keyOf(new Request(null, true, true), failing));
		assertThatRuntimeException().isThrownBy(() -> keyOf(new Request(null, false, false), failing));
	}

	@Test
	void aCallOfAProxyGoesOnWithAnInvocationOfItsOwn() {
		ProxyMethodInvocation original = mock(ProxyMethodInvocation.class);
		MethodInvocation clone = mock(MethodInvocation.class);
		given(original.invocableClone()).willReturn(clone);
		CurrentRequests current = new CurrentRequests(List.of(), this.clock, this.room);
		assertThat(new LimitedCall(original, List.of(), current).copy().invocation()).isSameAs(clone);
		assertThat(new LimitedCall(clone, List.of(), current).copy().invocation()).isSameAs(clone);
	}

	@Test
	void aPlainCallThatHoldsItsThreadNeedsNoPlace() throws Throwable {
		this.room = new WaitingRoom(0);
		wait(this.queue);
		assertThat(Enforcement.PLAIN.enforce(call(CALL, "result"), this.delayScheduler)).isEqualTo("result");
		assertThat(this.delayScheduler.slept).isEqualTo(SECOND.toNanos());
	}

	@Test
	void aPlainCallThatHoldsNoThreadNeedsAPlace() {
		this.room = new WaitingRoom(0);
		this.delayScheduler.holdsThread = false;
		wait(this.queue);
		assertThatExceptionOfType(RateLimitExceededException.class)
			.isThrownBy(() -> Enforcement.PLAIN.enforce(call(CALL, "result"), this.delayScheduler));
	}

	@Test
	void anInterruptIsThrownOnlyWhereTheMethodDeclaresIt() {
		this.delayScheduler.interrupted = true;
		wait(this.queue);
		assertThatExceptionOfType(InterruptedException.class)
			.isThrownBy(() -> Enforcement.PLAIN.enforce(call(CALL, "result"), this.delayScheduler));
		assertThat(Thread.interrupted()).isFalse();
		assertThatExceptionOfType(CancellationException.class)
			.isThrownBy(() -> Enforcement.PLAIN.enforce(call(READ, "result"), this.delayScheduler))
			.withMessageContaining("read")
			.withCauseInstanceOf(InterruptedException.class);
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void aFutureWhoseDelayIsOverByThenHoldsNoPlace() throws Throwable {
		wait(this.queue);
		LimitedCall call = call(CALL, CompletableFuture.completedFuture("result"), SECOND);
		assertThat(Enforcement.FUTURE.enforce(call, this.delayScheduler)).isInstanceOf(CompletableFuture.class);
		assertThat(this.room.waiting()).isZero();
	}

	@Test
	void aMonoWhoseDelayIsOverByThenHoldsNoPlace() throws Throwable {
		wait(this.queue);
		LimitedCall call = call(CALL, Mono.just("result"), SECOND);
		Mono<?> mono = (Mono<?>) Enforcement.of(Mono.class).enforce(call, this.delayScheduler);
		assertThat(mono).isNotNull();
		assertThat(mono.block()).isEqualTo("result");
		assertThat(this.room.waiting()).isZero();
	}

	@Test
	void aChargedCallIsSettledWhenItsWaitIsInterrupted() {
		this.delayScheduler.interrupted = true;
		LimitedCall call = charged("result");
		assertThatExceptionOfType(InterruptedException.class)
			.isThrownBy(() -> Enforcement.PLAIN.enforce(call, this.delayScheduler));
		assertThat(left()).isEqualTo(7);
		assertThat(this.room.waiting()).isZero();
	}

	@Test
	void aPlainCallLeavesItsPlaceBeforeItIsMade() throws Throwable {
		assertThat(Enforcement.PLAIN.enforce(charged("result"), this.delayScheduler)).isEqualTo("result");
		assertThat(this.room.waiting()).isZero();
		assertThat(left()).isEqualTo(10);
	}

	@Test
	void aChargedCallIsSettledWhenNobodyWantsItsFutureAnyMore() throws Throwable {
		CompletableFuture<?> future = future();
		assertThat(left()).isEqualTo(9);
		future.cancel(true);
		this.delayScheduler.task.run();
		assertThat(left()).isEqualTo(7);
		assertThat(this.room.waiting()).isZero();
	}

	@Test
	void aChargedCallIsSettledWhenItsFutureCannotWaitAnyLonger() throws Throwable {
		CompletableFuture<?> future = future();
		this.delayScheduler.rejected.accept(new IllegalStateException("shut down"));
		assertThat(future).isCompletedExceptionally();
		assertThat(left()).isEqualTo(7);
		assertThat(this.room.waiting()).isZero();
	}

	private CompletableFuture<?> future() throws Throwable {
		Object future = Enforcement.FUTURE.enforce(charged(CompletableFuture.completedFuture("result")),
				this.delayScheduler);
		assertThat(future).isInstanceOf(CompletableFuture.class);
		return (CompletableFuture<?>) future;
	}

	private long left() {
		return this.charged.peek("key").remaining();
	}

	private LimitedCall charged(Object result) {
		wait(this.queue);
		PermitRequest request = binding(this.charged, "'key'").resolve(RateLimitContext.of(TestRequest.anonymous()));
		assertThat(request).isNotNull();
		return call(CALL, result, Duration.ZERO, request);
	}

	private static void wait(StoreRateLimiter queue) {
		queue.decide("key", 1);
	}

	private LimitedCall call(Method method, Object result) {
		return call(method, result, Duration.ZERO);
	}

	/* Time passes between the decision and the wait. */
	private LimitedCall call(Method method, Object result, Duration passes, PermitRequest... further) {
		LimitedRequest request = new Request(null, true, true) {

			@Override
			public void report(Acquisition acquisition) {
				LimitedCallTests.this.clock.advance(passes);
			}

		};
		List<PermitRequest> requests = new ArrayList<>(List.of(PermitRequest.of(this.queue, "key", 1)));
		requests.addAll(List.of(further));
		return new LimitedCall(invocation(method, result), requests,
				new CurrentRequests(List.of(() -> request), this.clock, this.room));
	}

	private String keyOf(LimitedRequest request, String key) {
		LimitedMethod method = new LimitedMethod(CALL, List.of(binding(this.queue, key)), void.class);
		LimitedCall call = LimitedCall.of(invocation(CALL, ""), method,
				new CurrentRequests(List.of(), this.clock, this.room), request);
		assertThat(call).isNotNull();
		return call.requests().get(0).key();
	}

	private static PolicyBinding binding(StoreRateLimiter limiter, String key) {
		DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
		return new PolicyBinder(beans, PolicyBinder.defaultKey("clientAddress", beans)).bindMethod(limiter, CALL,
				"Service.call", key, "", "", "");
	}

	private static MethodInvocation invocation(Method method, Object result) {
		return mock(MethodInvocation.class, (call) -> switch (call.getMethod().getName()) {
			case "getMethod" -> method;
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
			return new Acquisition(LimitedCallTests.this.clock, LimitedCallTests.this.room, Long.MAX_VALUE);
		}

	}

	/**
	 * Notes how long a call sleeps, or ends its wait as the test says.
	 */
	private static final class Waits implements DelayScheduler {

		private boolean holdsThread = true;

		private boolean interrupted;

		private long slept;

		private Runnable task = () -> {
		};

		private Consumer<Throwable> rejected = (failure) -> {
		};

		@Override
		public boolean holdsThread() {
			return this.holdsThread;
		}

		@Override
		public void sleep(long nanos) throws InterruptedException {
			if (this.interrupted) {
				throw new InterruptedException();
			}
			this.slept += nanos;
		}

		@Override
		public Runnable after(long nanos, Runnable task, Consumer<Throwable> rejected) {
			this.task = task;
			this.rejected = rejected;
			return task;
		}

	}

	static class Service {

		public Object call(String user) throws InterruptedException {
			return user;
		}

		public Object read(String user) throws IOException {
			return user;
		}

	}

}
