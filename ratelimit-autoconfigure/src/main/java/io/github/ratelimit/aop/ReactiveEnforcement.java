package io.github.ratelimit.aop;

import java.time.Duration;

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
	public @Nullable Object enforce(LimitedCall call) {
		return this.adapter
			.fromPublisher(this.adapter.isMultiValue() ? Flux.defer(() -> flux(call)) : Mono.defer(() -> mono(call)));
	}

	private Flux<?> flux(LimitedCall call) {
		long nanos = call.enter();
		Flux<?> result = Flux.defer(() -> Flux.from(proceed(call)));
		return (nanos > 0) ? Mono.delay(Duration.ofNanos(nanos)).thenMany(result) : result;
	}

	private Mono<?> mono(LimitedCall call) {
		long nanos = call.enter();
		Mono<?> result = Mono.defer(() -> Mono.from(proceed(call)));
		return (nanos > 0) ? Mono.delay(Duration.ofNanos(nanos)).then(result) : result;
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
