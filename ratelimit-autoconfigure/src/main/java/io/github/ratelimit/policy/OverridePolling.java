package io.github.ratelimit.policy;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.ratelimit.BackgroundThreads;
import io.github.ratelimit.store.SharedOverrides;
import org.jspecify.annotations.Nullable;

/**
 * Looks for changes of other instances in the background: once each second, and when a
 * message says that there is one.
 */
final class OverridePolling {

	private static final BackgroundThreads THREADS = new BackgroundThreads("ratelimit-overrides");

	private final AtomicBoolean listening = new AtomicBoolean();

	/* Any number of messages that come meanwhile are worth one look. */
	private final AtomicBoolean told = new AtomicBoolean();

	private final SharedOverrides shared;

	private final OverrideLog log;

	private @Nullable ScheduledThreadPoolExecutor executor;

	private volatile Runnable onMessage = () -> {
	};

	OverridePolling(SharedOverrides shared, OverrideLog log) {
		this.shared = shared;
		this.log = log;
	}

	synchronized void start(Runnable action) {
		if (this.executor != null) {
			return;
		}
		Runnable look = () -> look(action);
		ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, THREADS);
		this.executor = executor;
		executor.scheduleWithFixedDelay(look, 1, 1, TimeUnit.SECONDS);
		this.onMessage = () -> lookSoon(executor, look);
		if (this.listening.compareAndSet(false, true)) {
			executor.execute(this::listen);
		}
	}

	/*
	 * An executor never again calls what has failed once. A class that is missing, or
	 * memory, may be there the next time.
	 */
	private void look(Runnable action) {
		try {
			action.run();
		}
		catch (Throwable ex) {
			try {
				this.log.lookFailed(ex);
			}
			catch (Throwable unsaid) {
				// the memory may not even do for that
			}
		}
	}

	/*
	 * A store that cannot be listened to yet is asked again when the polling starts anew.
	 */
	private void listen() {
		try {
			this.shared.listen(() -> this.onMessage.run());
		}
		catch (Throwable ex) {
			this.listening.set(false);
		}
	}

	private void lookSoon(ScheduledThreadPoolExecutor executor, Runnable look) {
		if (this.told.compareAndSet(false, true)) {
			try {
				executor.execute(() -> {
					this.told.set(false);
					look.run();
				});
			}
			catch (RejectedExecutionException ex) {
				this.told.set(false);
			}
		}
	}

	synchronized void stop() {
		ScheduledThreadPoolExecutor executor = this.executor;
		if (executor != null) {
			executor.shutdownNow();
			this.executor = null;
		}
	}

}
