package io.github.ratelimit.web;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;

/**
 * Knows the requests of a web stack that wait without a thread. When the application
 * stops, those that still wait after the grace period are rejected.
 *
 * @param <T> what a request waits for
 * @since 0.1.0
 */
public abstract class DelayedRequests<T> implements SmartLifecycle {

	/*
	 * Spring Boot's grace period is 1024 before the default. The actuator's own server
	 * stops at 1536, after a grace period of its own, and the application's at 2048.
	 */
	private static final int BEFORE_THE_SERVERS_STOP = DEFAULT_PHASE - 1280;

	private final Set<T> waiting = ConcurrentHashMap.newKeySet();

	private final AtomicReference<@Nullable Runnable> stopped = new AtomicReference<>();

	/* True from the beginning, because a bean that is made late is not started. */
	private volatile boolean running = true;

	/**
	 * Notes that a request begins to wait.
	 * @param wait what it waits for, which is rejected if the application stops already
	 */
	protected final void add(T wait) {
		this.waiting.add(wait);
		if (!this.running) {
			reject(wait);
		}
	}

	/**
	 * Notes that a request does not wait any more, or that its rejection is answered.
	 * @param wait what it waited for
	 */
	protected final void remove(T wait) {
		this.waiting.remove(wait);
		callBackWhenNobodyWaits();
	}

	/**
	 * Counts the requests that wait now.
	 * @return the number, with those whose rejection is not answered yet
	 */
	public final int waiting() {
		return this.waiting.size();
	}

	/**
	 * Ends the wait of a request, and rejects it.
	 * @param wait what it waits for
	 */
	protected abstract void reject(T wait);

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
		for (T wait : this.waiting) {
			reject(wait);
		}
	}

	/*
	 * The server stops only when they have their answers.
	 */
	@Override
	public void stop(Runnable callback) {
		this.stopped.set(callback);
		stop();
		callBackWhenNobodyWaits();
	}

	private void callBackWhenNobodyWaits() {
		if (this.running || waiting() > 0) {
			return;
		}
		Runnable callback = this.stopped.getAndSet(null);
		if (callback != null) {
			callback.run();
		}
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * It stops after requests were given time to end by themselves, and before a server.
	 */
	@Override
	public int getPhase() {
		return BEFORE_THE_SERVERS_STOP;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

}
