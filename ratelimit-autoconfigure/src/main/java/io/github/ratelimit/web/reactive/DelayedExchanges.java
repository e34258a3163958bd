package io.github.ratelimit.web.reactive;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
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

	private final Set<MonoSink<Boolean>> waiting = ConcurrentHashMap.newKeySet();

	/* From the beginning, because a bean that is made late is not started. */
	private volatile boolean running = true;

	/**
	 * Lets time pass, unless the client goes away or the application stops meanwhile.
	 * @param nanos how long
	 * @param place gives the place back, however the wait ends
	 * @return whether the wait was over; {@code false} if the application stops
	 */
	Mono<Boolean> await(long nanos, Runnable place) {
		return Mono.create((sink) -> {
			this.waiting.add(sink);
			Disposable timer = Schedulers.parallel().schedule(() -> sink.success(true), nanos, TimeUnit.NANOSECONDS);
			sink.onDispose(() -> {
				timer.dispose();
				place.run();
				this.waiting.remove(sink);
			});
			if (!this.running) {
				sink.success(false);
			}
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
		this.waiting.forEach((sink) -> sink.success(false));
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
