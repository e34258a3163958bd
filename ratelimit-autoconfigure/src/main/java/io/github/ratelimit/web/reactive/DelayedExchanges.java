package io.github.ratelimit.web.reactive;

import java.util.concurrent.TimeUnit;

import io.github.ratelimit.web.DelayedRequests;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/**
 * Lets exchanges wait without a thread.
 */
final class DelayedExchanges extends DelayedRequests<Sinks.One<Boolean>> {

	/**
	 * Lets time pass from now on, unless the client goes away or the application stops
	 * meanwhile.
	 * @param nanos how long
	 * @param place gives the place back, however the wait ends
	 * @param rejection answers an exchange that has to end its wait because the
	 * application stops
	 * @return {@code true} if the wait is over, or what the rejection returns
	 */
	Mono<Boolean> await(long nanos, Runnable place, Mono<Boolean> rejection) {
		Sinks.One<Boolean> wait = Sinks.one();
		add(wait);
		Disposable timer = Schedulers.parallel().schedule(() -> wait.tryEmitValue(true), nanos, TimeUnit.NANOSECONDS);
		// a handler that is called next must not hold the place
		return wait.asMono()
			.doOnTerminate(place)
			.doOnCancel(place)
			.flatMap((over) -> over ? Mono.just(true) : rejection)
			.doFinally((end) -> {
				timer.dispose();
				remove(wait);
			});
	}

	@Override
	protected void reject(Sinks.One<Boolean> wait) {
		wait.tryEmitValue(false);
	}

}
