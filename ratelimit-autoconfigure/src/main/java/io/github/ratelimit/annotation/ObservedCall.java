package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import io.github.ratelimit.request.Acquisition;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.GenericTypeResolver;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.ClassUtils;

/**
 * Observes a call whose permits are charged by its outcome: notifies the acquisition of
 * the permits when the call is over, which may be later than it returns.
 */
final class ObservedCall {

	static final boolean REACTOR = ClassUtils.isPresent("reactor.core.publisher.Flux",
			ObservedCall.class.getClassLoader());

	private ObservedCall() {
	}

	/**
	 * Makes the call.
	 * @param invocation the call
	 * @param acquisition where its permits were acquired
	 * @param returnsFuture whether the method may return any {@code CompletableFuture}
	 * @return what to return to the caller
	 * @throws Throwable what the method throws
	 */
	static @Nullable Object proceed(MethodInvocation invocation, Acquisition acquisition, boolean returnsFuture)
			throws Throwable {
		if (!acquisition.isCharged()) {
			return invocation.proceed();
		}

		Object returned;
		try {
			returned = invocation.proceed();
		}
		catch (Throwable ex) {
			acquisition.endCall(null, ex);
			throw ex;
		}
		return observe(returned, acquisition, returnsFuture);
	}

	static @Nullable Object observe(@Nullable Object returned, Acquisition acquisition, boolean returnsFuture) {
		if (returned instanceof CompletionStage<?> stage) {
			return observe(stage, acquisition, returnsFuture);
		}
		ReactiveAdapter adapter = adapter(null, returned);
		if (returned != null && adapter != null) {
			return ReactiveCalls.observe(returned, adapter, acquisition);
		}
		if (returned instanceof Collection<?> elements && acquisition.countsElements()) {
			endCounted(elements, acquisition);
		}
		else {
			acquisition.endCall(returned, null);
		}
		return returned;
	}

	/*
	 * Elements that cannot be read here are the caller's to fail with, and no way to be
	 * charged less than was reserved.
	 */
	private static void endCounted(Collection<?> elements, Acquisition acquisition) {
		try {
			elements.forEach(acquisition::count);
			acquisition.endCall(elements, null);
		}
		catch (RuntimeException ex) {
			acquisition.cancelCall(elements, null);
		}
	}

	/**
	 * Whether the elements of what is returned can be counted. A publisher that counts is
	 * returned in place of the method's own, so one must fit its type.
	 * @param type the type that is returned
	 */
	static boolean passesElements(Class<?> type) {
		if (Collection.class.isAssignableFrom(type)) {
			return true;
		}
		ReactiveAdapter adapter = adapter(type, null);
		return adapter != null && adapter.isMultiValue() && ReactiveCalls.mayReplace(type, adapter);
	}

	/**
	 * Returns the type that a call is seen to return. Spring shows advice a publisher in
	 * place of what a suspending function of Kotlin returns.
	 * @param method the method, as it is called
	 * @param type the class of the bean, which may name a type that the method leaves
	 * open
	 * @return the type
	 */
	static Class<?> returnType(Method method, Class<?> type) {
		if (!REACTOR || !KotlinDetector.isSuspendingFunction(method)
				|| !ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt", ObservedCall.class.getClassLoader())) {
			return GenericTypeResolver.resolveReturnType(method, type);
		}
		Class<?> completed = new MethodParameter(method, -1).getParameterType();
		if (completed.getName().equals("kotlinx.coroutines.flow.Flow")) {
			return Flux.class;
		}
		return Publisher.class.isAssignableFrom(completed) ? completed : Mono.class;
	}

	/**
	 * Finds out how to read and make a reactive type.
	 * @param type the type, or {@code null} for that of the object
	 * @param returned an object of it, or {@code null}
	 * @return the adapter, or {@code null} if the type is none, or Reactor is missing
	 */
	static @Nullable ReactiveAdapter adapter(@Nullable Class<?> type, @Nullable Object returned) {
		if (!REACTOR) {
			return null;
		}
		return ReactiveAdapterRegistry.getSharedInstance().getAdapter(type, returned);
	}

	/*
	 * Code that waits for the future is to find its permits settled, which a callback
	 * beside its own could not promise. Whatever its caller does to the substitute is
	 * done to the method's own future, which the caller has left then. That of a class of
	 * its own, such as Reactor's, is cancelled in its own way, and has no substitute
	 * where its caller may rely on the class.
	 */
	private static CompletionStage<?> observe(CompletionStage<?> stage, Acquisition acquisition,
			boolean returnsFuture) {
		CompletableFuture<?> future = completable(stage);
		if (future == null || (!returnsFuture && stage.getClass() != CompletableFuture.class)) {
			stage.whenComplete((value, failure) -> endUnsubstituted(acquisition, value, unwrap(failure)));
			return stage;
		}
		CompletableFuture<@Nullable Object> observed = new CompletableFuture<>();
		future.whenComplete((value, failure) -> {
			acquisition.endCall(value, unwrap(failure));
			complete(observed, value, failure);
		});
		observed.whenComplete((value, failure) -> {
			if (!future.isDone()) {
				acquisition.cancelCall(value, unwrap(failure));
			}
			passOn(observed, future, value, failure);
		});
		return observed;
	}

	/* Of a stage that only its method completes, callers get a future of their own. */
	private static @Nullable CompletableFuture<?> completable(CompletionStage<?> stage) {
		if (stage instanceof CompletableFuture<?> future && future.toCompletableFuture() == stage) {
			return future;
		}
		return null;
	}

	private static void endUnsubstituted(Acquisition acquisition, @Nullable Object value, @Nullable Throwable failure) {
		if (failure instanceof CancellationException) {
			acquisition.cancelCall(value, failure);
		}
		else {
			acquisition.endCall(value, failure);
		}
	}

	/**
	 * Does to the method's own future what the caller has done to its substitute.
	 * @param substitute the caller's future, which is complete
	 * @param future the method's own, which nearly always is complete already
	 * @param value what the caller's is complete with
	 * @param failure what it failed with, or {@code null}
	 */
	static void passOn(CompletableFuture<?> substitute, CompletableFuture<?> future, @Nullable Object value,
			@Nullable Throwable failure) {
		if (substitute.isCancelled()) {
			future.cancel(true);
		}
		complete(future, value, failure);
	}

	/**
	 * Completes a future, unless it is complete already.
	 */
	@SuppressWarnings("unchecked")
	static void complete(CompletableFuture<?> future, @Nullable Object value, @Nullable Throwable failure) {
		CompletableFuture<@Nullable Object> open = (CompletableFuture<@Nullable Object>) future;
		if (failure != null) {
			open.completeExceptionally(failure);
		}
		else {
			open.complete(value);
		}
	}

	static @Nullable Throwable unwrap(@Nullable Throwable failure) {
		Throwable cause = (failure != null) ? failure.getCause() : null;
		return (failure instanceof CompletionException && cause != null) ? cause : failure;
	}

}
