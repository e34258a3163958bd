package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.expression.PolicyBinder;
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

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * A call that must wait for one policy and is charged by another, and is never made.
 */
class ChargedWaitTests {

	private static final Method METHOD = ClassUtils.getMethod(Service.class, "call");

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

	private final WaitingRoom room = new WaitingRoom(1);

	private final Waits delayScheduler = new Waits();

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void isSettledWhenItsWaitIsInterrupted() {
		this.delayScheduler.interrupted = true;
		LimitedCall call = call("result");
		assertThatExceptionOfType(InterruptedException.class)
			.isThrownBy(() -> new Enforcement.PlainEnforcement().enforce(call, this.delayScheduler));
		assertThat(left()).isEqualTo(7);
		assertThat(this.room.waiting()).isZero();
	}

	@Test
	void aPlainCallLeavesItsPlaceBeforeItIsMade() throws Throwable {
		assertThat(new Enforcement.PlainEnforcement().enforce(call("result"), this.delayScheduler)).isEqualTo("result");
		assertThat(this.room.waiting()).isZero();
		assertThat(left()).isEqualTo(10);
	}

	@Test
	void isSettledWhenNobodyWantsItsFutureAnyMore() throws Throwable {
		CompletableFuture<?> future = future();
		assertThat(left()).isEqualTo(9);
		future.cancel(true);
		this.delayScheduler.task.run();
		assertThat(left()).isEqualTo(7);
		assertThat(this.room.waiting()).isZero();
	}

	@Test
	void isSettledWhenItsFutureCannotWaitAnyLonger() throws Throwable {
		CompletableFuture<?> future = future();
		this.delayScheduler.rejected.accept(new IllegalStateException("shut down"));
		assertThat(future).isCompletedExceptionally();
		assertThat(left()).isEqualTo(7);
		assertThat(this.room.waiting()).isZero();
	}

	private CompletableFuture<?> future() throws Throwable {
		Object future = new Enforcement.FutureEnforcement().enforce(call(CompletableFuture.completedFuture("result")),
				this.delayScheduler);
		assertThat(future).isInstanceOf(CompletableFuture.class);
		return (CompletableFuture<?>) future;
	}

	private long left() {
		return this.charged.peek("all").remaining();
	}

	private LimitedCall call(Object result) {
		this.queue.decide("all", 1);
		DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
		PermitRequest request = new PolicyBinder(beans, PolicyBinder.defaultKey("'all'", beans))
			.bindMethod(this.charged, METHOD, "here", "", "", "", "exception == null ? 0 : 3")
			.resolve(RateLimitContext.of(TestRequest.anonymous()));
		assertThat(request).isNotNull();
		LimitedRequest current = new Request();
		return new LimitedCall(invocation(result), List.of(PermitRequest.of(this.queue, "all", 1), request),
				new CurrentRequests(List.of(() -> current), this.clock, this.room));
	}

	private static MethodInvocation invocation(Object result) {
		MethodInvocation invocation = mock(MethodInvocation.class);
		given(invocation.getMethod()).willReturn(METHOD);
		try {
			given(invocation.proceed()).willReturn(result);
		}
		catch (Throwable ex) {
			throw new AssertionError(ex);
		}
		return invocation;
	}

	/**
	 * A request that each call acquires for itself in.
	 */
	private final class Request implements LimitedRequest {

		@Override
		public @Nullable RequestView view() {
			return null;
		}

		@Override
		public Acquisition acquisition(Method method) {
			return new Acquisition(ChargedWaitTests.this.clock, ChargedWaitTests.this.room, Long.MAX_VALUE);
		}

	}

	/**
	 * Ends a wait as the test says.
	 */
	private static final class Waits implements DelayScheduler {

		private boolean interrupted;

		private Runnable task = () -> {
		};

		private Consumer<Throwable> rejected = (failure) -> {
		};

		@Override
		public boolean holdsThread() {
			return false;
		}

		@Override
		public void sleep(long nanos) throws InterruptedException {
			if (this.interrupted) {
				throw new InterruptedException();
			}
		}

		@Override
		public Runnable after(long nanos, Runnable task, Consumer<Throwable> rejected) {
			this.task = task;
			this.rejected = rejected;
			return () -> {
			};
		}

	}

	static class Service {

		public Object call() throws InterruptedException {
			return "result";
		}

	}

}
