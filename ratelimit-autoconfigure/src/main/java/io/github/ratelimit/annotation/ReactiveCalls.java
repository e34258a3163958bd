package io.github.ratelimit.annotation;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

import io.github.ratelimit.request.Acquisition;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.ReactiveAdapter;

/**
 * Calls that return a reactive type: permits are taken at each subscription, a rejection
 * is an error signal, and no thread waits. Loaded only with Reactor.
 */
final class ReactiveCalls {

	private ReactiveCalls() {
	}

	static Object enforce(LimitedCall call, ReactiveAdapter adapter) {
		return adapt(Flux.defer(() -> {
			Acquisition acquisition = call.acquire(true);
			Flux<Object> delayed = delay(acquisition).thenMany(Flux.defer(() -> proceed(call, adapter)));
			return acquisition.isCharged() ? observe(delayed, acquisition) : delayed;
		}), adapter);
	}

	static Object observe(Object returned, ReactiveAdapter adapter, Acquisition acquisition) {
		return adapt(observe(Flux.from(adapter.toPublisher(returned)), acquisition), adapter);
	}

	/* What has one value at most is not canceled after it, but heard to its end. */
	private static Object adapt(Flux<?> flux, ReactiveAdapter adapter) {
		return adapter.fromPublisher(adapter.isMultiValue() ? flux : flux.singleOrEmpty());
	}

	private static Mono<Long> delay(Acquisition acquisition) {
		long nanos = acquisition.delayNanos();
		Runnable place = acquisition.takePlace();
		acquisition.forgoDelay();
		if (nanos == 0) {
			place.run();
			return Mono.empty();
		}
		return Mono.delay(Duration.ofNanos(nanos)).doOnTerminate(place).doOnCancel(place);
	}

	private static Publisher<Object> proceed(LimitedCall call, ReactiveAdapter adapter) {
		try {
			Object result = call.copy().invocation().proceed();
			return (result != null) ? Flux.from(adapter.toPublisher(result)) : Flux.empty();
		}
		catch (Throwable ex) {
			return Flux.error(ex);
		}
	}

	/* Of several values, the last is the result. */
	private static <T> Flux<T> observe(Flux<T> flux, Acquisition acquisition) {
		AtomicReference<@Nullable T> last = new AtomicReference<>();
		return flux.doOnNext(last::set)
			.doOnComplete(() -> acquisition.endCall(last.get(), null))
			.doOnError((failure) -> acquisition.endCall(last.get(), failure))
			.doOnCancel(() -> acquisition.endCall(last.get(), null));
	}

}
