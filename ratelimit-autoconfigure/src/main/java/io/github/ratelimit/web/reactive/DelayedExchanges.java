package io.github.ratelimit.web.reactive;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

import org.springframework.context.SmartLifecycle;

/**
 * Lets exchanges wait without a thread. When the application stops, those that still wait
 * after the grace period are rejected.
 */
final class DelayedExchanges implements SmartLifecycle {

	/*
	 * Spring Boot's grace period is 1024 before the default, and the server stops at
	 * 2048.
	 */
	private static final int BEFORE_THE_SERVER_STOPS = DEFAULT_PHASE - 1536;

	private final Set<Sinks.One<Boolean>> waiting = ConcurrentHashMap.newKeySet();

	private final AtomicReference<@Nullable Runnable> stopped = new AtomicReference<>();

	/* From the beginning, because a bean that is made late is not started. */
	private volatile boolean running = true;

	/**
	 * Lets time pass, unless the client goes away or the application stops meanwhile.
	 * @param nanos how long
	 * @param place gives the place back, however the wait ends
	 * @param rejection answers an exchange that has to end its wait because the
	 * application stops
	 * @return {@code true} if the wait is over, or what the rejection returns
	 */
	Mono<Boolean> await(long nanos, Runnable place, Mono<Boolean> rejection) {
		return Mono.defer(() -> {
			Sinks.One<Boolean> wait = Sinks.one();
			this.waiting.add(wait);
			Disposable timer = Schedulers.parallel()
				.schedule(() -> wait.tryEmitValue(true), nanos, TimeUnit.NANOSECONDS);
			if (!this.running) {
				wait.tryEmitValue(false);
			}
			return wait.asMono().doFinally((end) -> {
				timer.dispose();
				place.run();
			}).flatMap((over) -> over ? Mono.just(true) : rejection).doFinally((end) -> {
				this.waiting.remove(wait);
				tellWhenNobodyWaits();
			});
		});
	}

	@Override
	public void start() {
		this.running = true;
	}

	/**
	 * Rejects all that wait, while the server can still answer them.
	 */
	@Override
	public void stop() {
		this.running = false;
		this.waiting.forEach((wait) -> wait.tryEmitValue(false));
	}

	/*
	 * The server stops only when they have their answers.
	 */
	@Override
	public void stop(Runnable callback) {
		this.stopped.set(callback);
		stop();
		tellWhenNobodyWaits();
	}

	private void tellWhenNobodyWaits() {
		if (!this.running && this.waiting.isEmpty()) {
			Runnable callback = this.stopped.getAndSet(null);
			if (callback != null) {
				callback.run();
			}
		}
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * After requests were given time to end by themselves, and before the server stops.
	 */
	@Override
	public int getPhase() {
		return BEFORE_THE_SERVER_STOPS;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

}
