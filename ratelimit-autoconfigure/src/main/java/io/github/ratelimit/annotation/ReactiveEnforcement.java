package io.github.ratelimit.annotation;

import java.time.Duration;

import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.DelayScheduler;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.ReactiveAdapter;

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
		return this.adapter
			.fromPublisher(this.adapter.isMultiValue() ? Flux.defer(() -> flux(call)) : Mono.defer(() -> mono(call)));
	}

	private Flux<?> flux(LimitedCall call) {
		Acquisition acquisition = call.acquire(true);
		return ObservedCall.flux(delay(acquisition).thenMany(Flux.defer(() -> Flux.from(proceed(call)))), acquisition);
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
