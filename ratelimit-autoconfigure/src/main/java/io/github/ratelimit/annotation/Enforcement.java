package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.DelayScheduler;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ReactiveAdapter;
import org.springframework.util.ClassUtils;

/**
 * How a call waits or is rejected, which depends on what its method returns.
 */
@FunctionalInterface
interface Enforcement {

	/**
	 * For methods that return a plain value: the call waits on its caller's thread, which
	 * may be interrupted. The permits stay taken then.
	 */
	Enforcement PLAIN = Enforcement::onCallersThread;

	/**
	 * For methods that return a {@link CompletableFuture}: a rejection is a failed
	 * future, and no thread waits.
	 */
	Enforcement FUTURE = Enforcement::inFuture;

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
			return FUTURE;
		}
		ReactiveAdapter adapter = ObservedCall.adapter(returnType, null);
		return (adapter != null) ? (call, delayScheduler) -> ReactiveCalls.enforce(call, adapter) : PLAIN;
	}

	private static @Nullable Object onCallersThread(LimitedCall call, DelayScheduler delayScheduler) throws Throwable {
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
		return ObservedCall.proceed(call.invocation(), acquisition);
	}

	/*
	 * A method that declares InterruptedException throws it. Any other restores the
	 * thread's interrupt flag and throws an exception that need not be declared.
	 */
	private static void sleep(DelayScheduler delayScheduler, long nanos, Method method) throws InterruptedException {
		try {
			delayScheduler.sleep(nanos);
		}
		catch (InterruptedException ex) {
			if (Arrays.stream(method.getExceptionTypes())
				.anyMatch((declared) -> declared.isAssignableFrom(InterruptedException.class))) {
				throw ex;
			}
			Thread.currentThread().interrupt();
			CancellationException cancellation = new CancellationException(
					"Interrupted while " + ClassUtils.getQualifiedMethodName(method) + " waited for its rate limit");
			cancellation.initCause(ex);
			throw cancellation;
		}
	}

	private static @Nullable Object inFuture(LimitedCall call, DelayScheduler delayScheduler) throws Throwable {
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
			return ObservedCall.proceed(call.invocation(), acquisition);
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

	private static void start(LimitedCall call, Acquisition acquisition, CompletableFuture<@Nullable Object> result) {
		boolean givenUp = result.isDone();
		if (givenUp) {
			acquisition.endCall(null, new CancellationException());
			return;
		}
		try {
			Object stage = ObservedCall.proceed(call.invocation(), acquisition);
			if (stage == null) {
				result.complete(null);
				return;
			}
			((CompletionStage<?>) stage)
				.whenComplete((value, failure) -> ObservedCall.complete(result, value, ObservedCall.unwrap(failure)));
		}
		catch (Throwable ex) {
			result.completeExceptionally(ex);
		}
	}

}
