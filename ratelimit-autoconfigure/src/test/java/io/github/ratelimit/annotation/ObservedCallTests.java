package io.github.ratelimit.annotation;

import java.io.IOException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

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
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.test.ManualClock;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * {@link ObservedCall}: when a charged call is over, whatever its method says it returns.
 */
class ObservedCallTests {

	private static final Method METHOD = ClassUtils.getMethod(Object.class, "toString");

	private static final long RESERVED = 9;

	/*
	 * What is charged for nothing, a result, the exception that is expected, any other.
	 */
	private static final String CHARGE = "exception == null ? (result == null ? 1 : 2) "
			+ ": (exception.message == 'as asked' ? 3 : 4)";

	private final ManualClock clock = ManualClock.atMidnight();

	private final LocalRateLimitStore store = new LocalRateLimitStore(this.clock, 10);

	private final StoreRateLimiter limiter = new StoreRateLimiterRegistry(this.store, List.of())
		.register(RateLimitPolicy.builder("calls")
			.charge(CHARGE)
			.limit(RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 10, Duration.ofMinutes(1)))
			.build());

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void aCallThatReturnsNothingIsOver() throws Throwable {
		assertThat(proceed(null)).isNull();
		assertThat(charged()).isEqualTo(1);
	}

	@Test
	void aCallThatThrowsIsOver() throws Throwable {
		MethodInvocation invocation = mock(MethodInvocation.class);
		given(invocation.proceed()).willThrow(new IllegalStateException("as asked"));
		assertThatIllegalStateException().isThrownBy(() -> ObservedCall.proceed(invocation, acquired()));
		assertThat(charged()).isEqualTo(3);
	}

	@Test
	void aMonoIsOverWhenItFails() throws Throwable {
		Object returned = proceed(Mono.error(new IllegalStateException("as asked")));
		assertThat(returned).isInstanceOf(Mono.class);
		assertThatIllegalStateException().isThrownBy(((Mono<?>) returned)::block);
		assertThat(charged()).isEqualTo(3);
	}

	@Test
	void aMonoIsOverWhenItHasAValue() throws Throwable {
		Object returned = proceed(Mono.just("value"));
		assertThat(charged()).isEqualTo(RESERVED);
		assertThat(returned).isInstanceOf(Mono.class);
		assertThat(((Mono<?>) returned).block()).isEqualTo("value");
		assertThat(charged()).isEqualTo(2);
	}

	@Test
	void aMonoIsOverWhenItIsCancelled() throws Throwable {
		Object returned = proceed(Mono.never());
		assertThat(returned).isInstanceOf(Mono.class);
		((Mono<?>) returned).subscribe().dispose();
		assertThat(charged()).isEqualTo(1);
	}

	@Test
	void aFluxIsOverWhenItFails() throws Throwable {
		Object returned = proceed(Flux.just("value").concatWith(Flux.error(new IllegalStateException("as asked"))));
		assertThat(charged()).isEqualTo(RESERVED);
		assertThat(returned).isInstanceOf(Flux.class);
		assertThatIllegalStateException().isThrownBy(() -> ((Flux<?>) returned).blockLast());
		assertThat(charged()).isEqualTo(3);
	}

	@Test
	void aFutureIsChargedByTheExceptionThatItsStagesWrap() throws Throwable {
		proceed(CompletableFuture.failedFuture(new IllegalStateException("as asked")).thenApply((value) -> value));
		assertThat(charged()).isEqualTo(3);
	}

	@Test
	void aFutureIsChargedByAnyOtherExceptionAsItIs() throws Throwable {
		proceed(CompletableFuture.failedFuture(new IllegalStateException("as asked", new IOException("cause"))));
		assertThat(charged()).isEqualTo(3);
		this.limiter.reset("all");
		proceed(CompletableFuture.failedFuture(new CompletionException("as asked", null)));
		assertThat(charged()).isEqualTo(3);
	}

	private long charged() {
		return 10 - this.limiter.peek("all").remaining();
	}

	private @Nullable Object proceed(@Nullable Object result) throws Throwable {
		MethodInvocation invocation = mock(MethodInvocation.class);
		given(invocation.proceed()).willReturn(result);
		return LimitedMethod.proceed(invocation, acquired());
	}

	private Acquisition acquired() {
		DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
		PermitRequest request = new PolicyBinder(beans, PolicyBinder.defaultKey("'all'", beans))
			.bindMethod(this.limiter, METHOD, "here", "", String.valueOf(RESERVED), "", CHARGE)
			.resolve(RateLimitContext.of(TestRequest.anonymous()));
		assertThat(request).isNotNull();
		Acquisition acquisition = new Acquisition(this.clock);
		assertThat(acquisition.take(List.of(request))).isTrue();
		return acquisition;
	}

}
