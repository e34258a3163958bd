package io.github.ratelimit.policy;

import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.github.ratelimit.BackgroundThreads;
import org.jspecify.annotations.Nullable;

/**
 * Looks for changes of other instances in the background: once each second.
 */
final class OverridePolling {

	private static final BackgroundThreads THREADS = new BackgroundThreads("ratelimit-overrides");

	private final OverrideLog log;

	private @Nullable ScheduledThreadPoolExecutor executor;

	OverridePolling(OverrideLog log) {
		this.log = log;
	}

	synchronized void start(Runnable action) {
		if (this.executor != null) {
			return;
		}
		this.executor = new ScheduledThreadPoolExecutor(1, THREADS);
		this.executor.scheduleWithFixedDelay(() -> look(action), 1, 1, TimeUnit.SECONDS);
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

	synchronized void stop() {
		ScheduledThreadPoolExecutor executor = this.executor;
		if (executor != null) {
			executor.shutdownNow();
			this.executor = null;
		}
	}

}
