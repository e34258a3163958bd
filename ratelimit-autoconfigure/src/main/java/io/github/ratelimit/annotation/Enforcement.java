package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.DelayScheduler;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.ClassUtils;

/**
 * How a call waits or is rejected, which depends on what its method returns.
 */
@FunctionalInterface
interface Enforcement {

	/**
	 * Takes the call's permits, waits, and lets the call proceed.
	 * @param call the call
	 * @param delayScheduler lets time pass
	 * @return what the method returns, or will return
	 * @throws Throwable the rejection, or what the method throws
	 */
	@Nullable Object enforce(LimitedCall call, DelayScheduler delayScheduler) throws Throwable;

	static Enforcement of(Class<?> returnType) {
		if (CompletionStage.class.isAssignableFrom(returnType)
				&& returnType.isAssignableFrom(CompletableFuture.class)) {
			return new FutureEnforcement();
		}
		if (ClassUtils.isPresent("reactor.core.publisher.Flux", Enforcement.class.getClassLoader())) {
			ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(returnType);
			if (adapter != null) {
				return new ReactiveEnforcement(adapter);
			}
		}
		return new PlainEnforcement();
	}

	/**
	 * For methods that return a plain value: the call waits on its caller's thread, which
	 * may be interrupted. The permits stay taken then.
	 */
	final class PlainEnforcement implements Enforcement {

		@Override
		public @Nullable Object enforce(LimitedCall call, DelayScheduler delayScheduler) throws Throwable {
			Acquisition acquisition = call.acquire(!delayScheduler.holdsThread());
			long nanos = acquisition.delayNanos();
			Runnable place = acquisition.takePlace();
			try {
				if (nanos > 0) {
					sleep(delayScheduler, nanos, call.method());
				}
			}
			catch (InterruptedException | RuntimeException ex) {
				acquisition.endCall(null, ex);
				throw ex;
			}
			finally {
				place.run();
			}
			return call.proceed(acquisition);
		}

		/*
		 * A method that declares InterruptedException throws it. Any other restores the
		 * thread's interrupt flag and throws an exception that need not be declared.
		 */
		private static void sleep(DelayScheduler delayScheduler, long nanos, Method method)
				throws InterruptedException {
			try {
				delayScheduler.sleep(nanos);
			}
			catch (InterruptedException ex) {
				if (Arrays.stream(method.getExceptionTypes())
					.anyMatch((declared) -> declared.isAssignableFrom(InterruptedException.class))) {
					throw ex;
				}
				Thread.currentThread().interrupt();
				CancellationException cancellation = new CancellationException("Interrupted while "
						+ ClassUtils.getQualifiedMethodName(method) + " waited for its rate limit");
				cancellation.initCause(ex);
				throw cancellation;
			}
		}

	}

	/**
	 * For methods that return a reactive type: permits are taken at each subscription, a
	 * rejection is an error signal, and no thread waits.
	 */
	final class ReactiveEnforcement implements Enforcement {

		private final ReactiveAdapter adapter;

		ReactiveEnforcement(ReactiveAdapter adapter) {
			this.adapter = adapter;
		}

		@Override
		public @Nullable Object enforce(LimitedCall call, DelayScheduler delayScheduler) {
			return this.adapter.fromPublisher(
					this.adapter.isMultiValue() ? Flux.defer(() -> flux(call)) : Mono.defer(() -> mono(call)));
		}

		private Flux<?> flux(LimitedCall call) {
			Acquisition acquisition = call.acquire(true);
			return ObservedCall.flux(delay(acquisition).thenMany(Flux.defer(() -> Flux.from(proceed(call)))),
					acquisition);
		}

		private Mono<?> mono(LimitedCall call) {
			Acquisition acquisition = call.acquire(true);
			return ObservedCall.mono(delay(acquisition).then(Mono.defer(() -> Mono.from(proceed(call)))), acquisition);
		}

		private static Mono<Long> delay(Acquisition acquisition) {
			long nanos = acquisition.delayNanos();
			Runnable place = acquisition.takePlace();
			if (nanos == 0) {
				place.run();
				return Mono.empty();
			}
			return Mono.delay(Duration.ofNanos(nanos)).doOnTerminate(place).doOnCancel(place);
		}

		private Publisher<?> proceed(LimitedCall call) {
			try {
				Object result = call.copy().proceed();
				return (result != null) ? this.adapter.toPublisher(result) : Mono.empty();
			}
			catch (Throwable ex) {
				return Mono.error(ex);
			}
		}

	}

	/**
	 * For methods that return a {@link CompletableFuture}: a rejection is a failed
	 * future, and no thread waits.
	 */
	final class FutureEnforcement implements Enforcement {

		@Override
		public @Nullable Object enforce(LimitedCall call, DelayScheduler delayScheduler) throws Throwable {
			Acquisition acquisition;
			try {
				acquisition = call.acquire(true);
			}
			catch (RateLimitExceededException ex) {
				return CompletableFuture.failedFuture(ex);
			}
			long nanos = acquisition.delayNanos();
			Runnable place = acquisition.takePlace();
			if (nanos == 0) {
				place.run();
				return call.proceed(acquisition);
			}
			LimitedCall later = call.copy();
			CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
			delayScheduler.after(nanos, () -> {
				place.run();
				start(later, acquisition, result);
			}, (failure) -> {
				place.run();
				acquisition.endCall(null, failure);
				result.completeExceptionally(failure);
			});
			return result;
		}

		private static void start(LimitedCall call, Acquisition acquisition,
				CompletableFuture<@Nullable Object> result) {
			boolean givenUp = result.isDone();
			if (givenUp) {
				acquisition.endCall(null, new CancellationException());
				return;
			}
			try {
				CompletionStage<?> stage = (CompletionStage<?>) call.proceed(acquisition);
				if (stage == null) {
					result.complete(null);
					return;
				}
				stage.whenComplete(
						(value, failure) -> ObservedCall.complete(result, value, ObservedCall.unwrap(failure)));
			}
			catch (Throwable ex) {
				result.completeExceptionally(ex);
			}
		}

	}

}
