package io.github.ratelimit.annotation;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;

import io.github.ratelimit.request.Acquisition;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.ClassUtils;

/**
 * A call whose permits are charged by its outcome: tells the acquisition of the permits
 * when the call is over, which may be later than it returns.
 */
final class ObservedCall {

	private static final boolean REACTOR = ClassUtils.isPresent("reactor.core.publisher.Flux",
			ObservedCall.class.getClassLoader());

	private ObservedCall() {
	}

	/**
	 * Makes the call.
	 * @param invocation the call
	 * @param acquisition where its permits were acquired
	 * @return what to return to the caller
	 * @throws Throwable what the method throws
	 */
	static @Nullable Object proceed(MethodInvocation invocation, Acquisition acquisition) throws Throwable {
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
		return observe(returned, acquisition);
	}

	private static @Nullable Object observe(@Nullable Object returned, Acquisition acquisition) {
		if (returned instanceof CompletionStage<?> stage) {
			return observe(stage, acquisition);
		}
		Object observed = (REACTOR && returned != null) ? Reactive.observe(returned, acquisition) : null;
		if (observed != null) {
			return observed;
		}
		acquisition.endCall(returned, null);
		return returned;
	}

	/*
	 * What waits for the future is to find its permits settled, which a callback that
	 * runs beside theirs could not promise. What its caller does to the substitute is
	 * done to the method's own. A future of another class has no substitute.
	 */
	private static CompletionStage<?> observe(CompletionStage<?> stage, Acquisition acquisition) {
		if (stage.getClass() != CompletableFuture.class) {
			stage.whenComplete((value, failure) -> acquisition.endCall(value, unwrap(failure)));
			return stage;
		}
		CompletableFuture<@Nullable Object> observed = new CompletableFuture<>();
		stage.whenComplete((value, failure) -> {
			acquisition.endCall(value, unwrap(failure));
			complete(observed, value, failure);
		});
		observed.whenComplete((value, failure) -> complete(stage, value, failure));
		return observed;
	}

	/* Does nothing if it is complete, as the method's own future nearly always is. */
	@SuppressWarnings("unchecked")
	static void complete(CompletionStage<?> stage, @Nullable Object value, @Nullable Throwable failure) {
		CompletableFuture<@Nullable Object> future = (CompletableFuture<@Nullable Object>) stage;
		if (failure != null) {
			future.completeExceptionally(failure);
		}
		else {
			future.complete(value);
		}
	}

	static @Nullable Throwable unwrap(@Nullable Throwable failure) {
		Throwable cause = (failure != null) ? failure.getCause() : null;
		return (failure instanceof CompletionException && cause != null) ? cause : failure;
	}

	/**
	 * Observes a subscription of a call, of which nothing is observed yet.
	 * @param flux what is subscribed to
	 * @param acquisition where the permits were acquired
	 * @return what to subscribe to
	 */
	static <T> Flux<T> flux(Flux<T> flux, Acquisition acquisition) {
		return acquisition.isCharged() ? Reactive.flux(flux, acquisition) : flux;
	}

	/**
	 * Observes a subscription of a call, of which nothing is observed yet.
	 * @param mono what is subscribed to
	 * @param acquisition where the permits were acquired
	 * @return what to subscribe to
	 */
	static <T> Mono<T> mono(Mono<T> mono, Acquisition acquisition) {
		return acquisition.isCharged() ? Reactive.mono(mono, acquisition) : mono;
	}

	/*
	 * Loaded only with Reactor.
	 */
	private static final class Reactive {

		private static @Nullable Object observe(Object returned, Acquisition acquisition) {
			ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(null, returned);
			if (adapter == null) {
				return null;
			}
			Publisher<?> publisher = adapter.toPublisher(returned);
			return adapter.fromPublisher(adapter.isMultiValue() ? flux(Flux.from(publisher), acquisition)
					: mono(Mono.from(publisher), acquisition));
		}

		/* Of several values, the last is the result. */
		private static <T> Flux<T> flux(Flux<T> flux, Acquisition acquisition) {
			AtomicReference<@Nullable T> last = new AtomicReference<>();
			return flux.doOnNext(last::set)
				.doOnComplete(() -> acquisition.endCall(last.get(), null))
				.doOnError((failure) -> acquisition.endCall(last.get(), failure))
				.doOnCancel(() -> acquisition.endCall(last.get(), null));
		}

		private static <T> Mono<T> mono(Mono<T> mono, Acquisition acquisition) {
			return mono.doOnSuccess((value) -> acquisition.endCall(value, null))
				.doOnError((failure) -> acquisition.endCall(null, failure))
				.doOnCancel(() -> acquisition.endCall(null, null));
		}

	}

}
