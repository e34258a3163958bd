package io.github.ratelimit.annotation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.AcquisitionEntry;
import io.github.ratelimit.request.LimitedHttpRequest;
import io.github.ratelimit.request.LimitedRequest;
import io.github.ratelimit.request.ReactivePermits;
import io.github.ratelimit.request.ReactivePermits.ReactiveRequest;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.core.ReactiveAdapter;

/**
 * Calls that return a reactive type: permits are taken at each subscription, a rejection
 * is an error signal, and no thread waits. The request that a subscriber calls for is in
 * its context, or else the one that its thread serves. Loaded only with Reactor.
 */
final class ReactiveCalls {

	private ReactiveCalls() {
	}

	static Object enforce(LimitedCall call, LimitedMethod method, ReactiveAdapter adapter) {
		return adapt(Flux.deferContextual((context) -> enforce(call, method, adapter, serving(context))), adapter);
	}

	private static Flux<Object> enforce(LimitedCall call, LimitedMethod method, ReactiveAdapter adapter,
			@Nullable LimitedRequest serving) {
		if (serving != null && serving.consumeEnforced(call.method())) {
			return proceedEnforced(call, method, adapter, serving);
		}

		LimitedRequest request = (serving != null) ? serving : call.current().find();
		return fetchAll(request, method)
			.then(ReactivePermits.call(method.mayBlock() && !request.isExempt(),
					() -> call.resolveUnlessKnown(method, request)))
			.flatMap((requests) -> ReactivePermits.acquire(request, call.method(), requests, method.answered()))
			.doOnNext((acquisition) -> LimitedCall.reportIfAnswered(method, request, acquisition))
			.flatMapMany(
					(acquisition) -> proceedDelayed(call.decided(method, acquisition), adapter, acquisition, request));
	}

	private static Flux<Object> proceedEnforced(LimitedCall call, LimitedMethod method, ReactiveAdapter adapter,
			LimitedRequest serving) {
		if (!(serving instanceof LimitedHttpRequest http)) {
			return proceed(call, adapter, List.of(), serving);
		}
		AcquisitionEntry rejection = http.consumeFallback();
		LimitedCall decided = (rejection != null) ? call.answered(method, rejection) : call;
		return observeIfCharged(proceed(decided, adapter, List.of(), serving), adapter, http);
	}

	private static Mono<Void> fetchAll(LimitedRequest request, LimitedMethod method) {
		if (request instanceof ReactiveRequest later && !request.isExempt()) {
			return later.fetch(method::mayRead);
		}
		return Mono.empty();
	}

	private static Flux<Object> proceedDelayed(LimitedCall call, ReactiveAdapter adapter, Acquisition acquisition,
			LimitedRequest request) {
		Flux<Object> delayed = delay(acquisition)
			.thenMany(Flux.defer(() -> proceed(call, adapter, acquisition.entries(), request)));
		return observeIfCharged(delayed, adapter, acquisition);
	}

	private static @Nullable LimitedRequest serving(ContextView context) {
		LimitedRequest request = context.getOrDefault(ReactiveRequest.KEY, null);
		return (request != null && request.isServed()) ? request : null;
	}

	/* A call that cannot wait does without what is not at hand. */
	static void fetch(ReactiveRequest request, LimitedMethod method) {
		request.fetch(method::mayRead).onErrorComplete().contextCapture().subscribe();
	}

	static Object observe(Object returned, ReactiveAdapter adapter, Acquisition acquisition) {
		return adapt(ObservedStream.of(Flux.from(adapter.toPublisher(returned)), adapter, acquisition), adapter);
	}

	/**
	 * Whether a publisher that is made here may be returned by a method.
	 * @param type the type that the method returns
	 * @param adapter makes it
	 */
	static boolean mayReplace(Class<?> type, ReactiveAdapter adapter) {
		return type.isInstance(adapter.fromPublisher(Flux.empty()));
	}

	/*
	 * A publisher of at most one value is not cancelled after it, but heard to its end.
	 */
	private static Object adapt(Flux<?> flux, ReactiveAdapter adapter) {
		if (adapter.isMultiValue()) {
			return adapter.fromPublisher(flux);
		}
		return adapter.fromPublisher(flux.singleOrEmpty());
	}

	private static Mono<Long> delay(Acquisition acquisition) {
		long nanos = acquisition.delayNanos();
		Runnable releaseSlot = acquisition.handOverSlot();
		acquisition.forgoDelay();
		if (nanos == 0) {
			return Mono.fromRunnable(releaseSlot);
		}
		return Mono.delay(Duration.ofNanos(nanos)).doOnTerminate(releaseSlot).doOnCancel(releaseSlot);
	}

	private static Flux<Object> proceed(LimitedCall call, ReactiveAdapter adapter, List<AcquisitionEntry> decided,
			LimitedRequest request) {
		try {
			Object result = invoke(call.copy(), decided, request);
			if (result == null) {
				return Flux.empty();
			}
			return Flux.from(adapter.toPublisher(result));
		}
		catch (Throwable ex) {
			return Flux.error(ex);
		}
	}

	/*
	 * The request is in the subscriber's context, and need not be known to the thread.
	 */
	private static @Nullable Object invoke(LimitedCall call, List<AcquisitionEntry> decided, LimitedRequest request)
			throws Throwable {
		if (!call.current().isAsked()) {
			return call.invocation().proceed();
		}
		List<AcquisitionEntry> all = new ArrayList<>(decided);
		all.addAll(Objects.requireNonNullElse(request.decided(), List.of()));
		return call.current().make(all, call.invocation()::proceed);
	}

	private static Flux<Object> observeIfCharged(Flux<Object> flux, ReactiveAdapter adapter, Acquisition acquisition) {
		return acquisition.isCharged() ? ObservedStream.of(flux, adapter, acquisition) : flux;
	}

}
