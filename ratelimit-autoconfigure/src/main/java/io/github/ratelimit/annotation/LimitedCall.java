package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import io.github.ratelimit.NonBlockingThread;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.expression.RateLimitContext;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.AcquisitionEntry;
import io.github.ratelimit.request.CurrentRequests;
import io.github.ratelimit.request.DelayScheduler;
import io.github.ratelimit.request.LimitedRequest;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.request.ReactivePermits.ReactiveRequest;
import io.github.ratelimit.request.RequestView;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.ReactiveAdapter;
import org.springframework.util.ClassUtils;

/**
 * One call of a limited method: what it asks of each policy, worked out when it is made.
 *
 * @param invocation the call
 * @param requests what it asks of each policy; {@code null} if that depends on who
 * subscribes to what the method returns, because the calling thread serves no request
 * @param current the request that a thread is serving
 */
record LimitedCall(MethodInvocation invocation, @Nullable List<PermitRequest> requests, CurrentRequests current) {

	/**
	 * Works out what a call asks.
	 * @return the call, or {@code null} if it asks no policy
	 */
	static @Nullable LimitedCall of(MethodInvocation invocation, LimitedMethod method, CurrentRequests current,
			LimitedRequest request) {
		boolean reactive = ObservedCall.REACTOR && request instanceof ReactiveRequest;
		if (method.adapter() != null && (reactive || request.view() == null)) {
			return new LimitedCall(invocation, null, current);
		}
		if (request.isExempt()) {
			return null;
		}

		if (reactive) {
			ReactiveCalls.fetch((ReactiveRequest) request, method);
		}
		List<PermitRequest> requests = resolve(invocation, method, request);
		if (requests.isEmpty()) {
			return null;
		}
		return new LimitedCall(invocation, requests, current);
	}

	/*
	 * An expression that fails because the request has ended meanwhile is no failure.
	 */
	private static List<PermitRequest> resolve(MethodInvocation invocation, LimitedMethod method,
			LimitedRequest request) {
		RequestView view = request.view();

		try {
			List<PermitRequest> requests = resolve(invocation, method, view, request);
			if (view == null || request.isServed()) {
				return requests;
			}
		}
		catch (RuntimeException ex) {
			if (view == null || request.isServed()) {
				throw ex;
			}
		}

		return resolve(invocation, method, null, request);
	}

	private static List<PermitRequest> resolve(MethodInvocation invocation, LimitedMethod method,
			@Nullable RequestView view, LimitedRequest request) {
		Acquisition acquisition = method.awaitsPlan() ? request.acquisition(invocation.getMethod()) : null;
		return method.resolve(RateLimitContext.ofCall(view, invocation.getThis(), method.method,
				method.arguments(invocation.getArguments())), acquisition);
	}

	Method method() {
		return this.invocation.getMethod();
	}

	/**
	 * Works out what the call asks of each policy, unless that was known when the call
	 * was made.
	 * @param limited the method
	 * @param request what the call is made for, or a subscriber to what it returns
	 * @return what it asks; empty if the request is exempt
	 */
	List<PermitRequest> resolveUnlessKnown(LimitedMethod limited, LimitedRequest request) {
		if (this.requests != null) {
			return PermitRequest.anew(this.requests);
		}
		if (request.isExempt()) {
			return List.of();
		}
		return resolve(this.invocation, limited, request);
	}

	/*
	 * Takes the permits, with the request that the calling thread is serving now. Says
	 * whether a policy rejects.
	 */
	private Acquisition acquire(LimitedMethod method, boolean needsSlot) {
		LimitedRequest request = this.current.find();
		List<PermitRequest> requests = resolveUnlessKnown(method, request);
		if (PermitRequest.mayDelay(requests)) {
			NonBlockingThread.refuse("its turn");
		}
		Acquisition acquisition = request.acquire(method(), requests, needsSlot, method.answered());
		reportIfAnswered(method, request, acquisition);
		return acquisition;
	}

	/**
	 * Reports to the client if a fallback is to answer.
	 */
	static void reportIfAnswered(LimitedMethod method, LimitedRequest request, Acquisition acquisition) {
		AcquisitionEntry rejection = acquisition.rejection();
		if (rejection != null && method.answered().test(rejection)) {
			request.reportFallback(acquisition);
		}
	}

	/**
	 * Returns the call that is to be made now that the policies have decided: this one,
	 * or that of a fallback which answers a rejection.
	 * @param limited the method
	 * @param acquisition what the policies said
	 * @throws RateLimitExceededException if a policy rejects, and no fallback answers
	 */
	LimitedCall decided(LimitedMethod limited, Acquisition acquisition) {
		AcquisitionEntry rejection = acquisition.rejection();
		if (rejection == null) {
			return this;
		}
		if (limited.answered().test(rejection)) {
			return answered(limited, rejection);
		}

		RateLimitExceededException exceeded = new RateLimitExceededException(rejection.policy(), rejection.decision());
		if (acquisition.isCharged()) {
			acquisition.endCall(null, exceeded);
		}
		throw exceeded;
	}

	/**
	 * Returns the call of the fallback that answers a rejection.
	 */
	LimitedCall answered(LimitedMethod limited, AcquisitionEntry rejection) {
		return new LimitedCall(limited.inPlaceOf(this.invocation, rejection), this.requests, this.current);
	}

	/**
	 * Takes the call's permits, waits, and lets the call proceed. For a method that
	 * returns a {@link CompletableFuture}, a rejection is a failed future, and no thread
	 * waits. One that returns a plain value waits on its caller's thread, which may be
	 * interrupted. The permits stay taken then.
	 * @param limited the method
	 * @param delayScheduler lets time pass
	 * @return what the method returns, or will return
	 * @throws Throwable the rejection, or what the method throws
	 */
	@Nullable Object enforce(LimitedMethod limited, DelayScheduler delayScheduler) throws Throwable {
		ReactiveAdapter adapter = limited.adapter();
		if (adapter != null) {
			return ReactiveCalls.enforce(this, limited, adapter);
		}
		if (limited.returnsFuture) {
			return enforceLater(limited, delayScheduler);
		}

		Acquisition acquisition = acquire(limited, !delayScheduler.holdsThread());
		LimitedCall decided = decided(limited, acquisition);
		await(acquisition, delayScheduler);
		return decided.proceed(acquisition, false);
	}

	private @Nullable Object enforceLater(LimitedMethod limited, DelayScheduler delayScheduler) throws Throwable {
		Acquisition acquisition;
		LimitedCall decided;
		try {
			acquisition = acquire(limited, true);
			decided = decided(limited, acquisition);
		}
		catch (RateLimitExceededException ex) {
			return CompletableFuture.failedFuture(ex);
		}

		long nanos = acquisition.delayNanos();
		Runnable releaseSlot = acquisition.handOverSlot();
		acquisition.forgoDelay();
		if (nanos > 0) {
			return decided.later(acquisition, releaseSlot, delayScheduler, nanos);
		}
		releaseSlot.run();
		return decided.proceed(acquisition, true);
	}

	private @Nullable Object proceed(Acquisition acquisition, boolean returnsFuture) throws Throwable {
		if (this.current.isAsked()) {
			return this.current.make(acquisition.entries(),
					() -> ObservedCall.proceed(this.invocation, acquisition, returnsFuture));
		}
		return ObservedCall.proceed(this.invocation, acquisition, returnsFuture);
	}

	private void await(Acquisition acquisition, DelayScheduler delayScheduler) throws InterruptedException {
		long nanos = acquisition.delayNanos();
		Runnable releaseSlot = acquisition.handOverSlot();
		acquisition.forgoDelay();
		try {
			if (nanos > 0) {
				sleep(delayScheduler, nanos);
			}
		}
		catch (InterruptedException | RuntimeException ex) {
			acquisition.cancelCall(null, ex);
			throw ex;
		}
		finally {
			releaseSlot.run();
		}
	}

	/*
	 * A method that declares InterruptedException throws it. Any other restores the
	 * thread's interrupt flag and throws an exception that need not be declared.
	 */
	private void sleep(DelayScheduler delayScheduler, long nanos) throws InterruptedException {
		try {
			delayScheduler.sleep(nanos);
		}
		catch (InterruptedException ex) {
			if (Stream.of(method().getExceptionTypes()).anyMatch((type) -> type.isInstance(ex))) {
				throw ex;
			}
			Thread.currentThread().interrupt();
			throw (CancellationException) new CancellationException(
					"Interrupted while " + ClassUtils.getQualifiedMethodName(method()) + " waited for its rate limit")
				.initCause(ex);
		}
	}

	private CompletableFuture<@Nullable Object> later(Acquisition acquisition, Runnable releaseSlot,
			DelayScheduler delayScheduler, long nanos) {
		LimitedCall later = copy();
		CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
		AtomicBoolean waitIsOver = new AtomicBoolean();
		Runnable cancel = delayScheduler.after(nanos, () -> {
			if (waitIsOver.compareAndSet(false, true)) {
				releaseSlot.run();
				later.start(acquisition, result);
			}
		}, (failure) -> {
			if (waitIsOver.compareAndSet(false, true)) {
				releaseSlot.run();
				acquisition.endCall(null, failure);
				result.completeExceptionally(failure);
			}
		});

		result.whenComplete((value, failure) -> {
			if (waitIsOver.compareAndSet(false, true)) {
				// whoever has the future does not wait for the call any more
				cancel.run();
				releaseSlot.run();
				acquisition.cancelCall(null, new CancellationException());
			}
		});
		return result;
	}

	private void start(Acquisition acquisition, CompletableFuture<@Nullable Object> result) {
		if (result.isDone()) {
			acquisition.cancelCall(null, new CancellationException());
			return;
		}

		try {
			if (proceed(acquisition, true) instanceof CompletionStage<?> stage) {
				stage.whenComplete(
						(value, failure) -> ObservedCall.complete(result, value, ObservedCall.unwrap(failure)));
				CompletableFuture<?> future = stage.toCompletableFuture();
				result.whenComplete((value, failure) -> ObservedCall.passOn(result, future, value, failure));
			}
			else {
				result.complete(null);
			}
		}
		catch (Throwable ex) {
			result.completeExceptionally(ex);
		}
	}

	/*
	 * A call that proceeds after its caller was given an answer, perhaps more than once,
	 * needs an invocation of its own each time.
	 */
	LimitedCall copy() {
		if (this.invocation instanceof ProxyMethodInvocation original) {
			return new LimitedCall(original.invocableClone(), this.requests, this.current);
		}
		return this;
	}

}
