package io.github.ratelimit.web;

import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;

/**
 * The requests of a web stack that wait without a thread. When the application stops,
 * those that still wait after the grace period are rejected.
 *
 * @since 0.1.0
 */
public abstract class DelayedRequests implements SmartLifecycle {

	/*
	 * Spring Boot's grace period is 1024 before the default, and the server stops at
	 * 2048.
	 */
	private static final int BEFORE_THE_SERVER_STOPS = DEFAULT_PHASE - 1536;

	private final AtomicReference<@Nullable Runnable> stopped = new AtomicReference<>();

	/* From the beginning, because a bean that is made late is not started. */
	private volatile boolean running = true;

	/**
	 * How many requests wait now.
	 * @return the number, with those whose rejection is not answered yet
	 */
	protected abstract int waiting();

	/**
	 * Ends the wait of all requests, and rejects them.
	 */
	protected abstract void rejectAll();

	@Override
	public void start() {
		this.running = true;
	}

	/**
	 * Rejects all requests that wait, while the server can still answer them.
	 */
	@Override
	public void stop() {
		this.running = false;
		rejectAll();
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

	/**
	 * Lets the application go on to stop, if that waits for nobody any more.
	 */
	protected final void tellWhenNobodyWaits() {
		if (!this.running && waiting() == 0) {
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
