package io.github.ratelimit.policy;

import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.RateLimitThresholdEvent;
import io.github.ratelimit.support.BackgroundThreads;
import io.github.ratelimit.support.LogBudget;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Tells listeners which shares of limits keys have crossed, in their order, on a thread
 * of its own, which ends when there is nothing to tell. So no listener keeps a request,
 * or the thread that has a store's answers, waiting.
 */
final class ThresholdDelivery {

	/** How many events wait at most. */
	static final int MAX_WAITING = 1024;

	private static final Log logger = LogFactory.getLog(RateLimitListener.class);

	private static final int IDLE_SECONDS = 10;

	private final ThreadPoolExecutor thread = new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS,
			new LinkedBlockingQueue<>(MAX_WAITING), new BackgroundThreads("rate-limit-thresholds"));

	private final List<RateLimitListener> listeners;

	private final List<Consumer<Object>> observers;

	private final LogBudget failures;

	private final LogBudget left;

	/**
	 * Creates a delivery.
	 * @param listeners are told first
	 * @param observers are told after them, also those that are added later
	 * @param clock says for how long the log is silent
	 */
	ThresholdDelivery(List<RateLimitListener> listeners, List<Consumer<Object>> observers, RateLimitClock clock) {
		this.listeners = listeners;
		this.observers = observers;
		this.failures = new LogBudget(clock::nanos);
		this.left = new LogBudget(clock::nanos);
		this.thread.allowCoreThreadTimeOut(true);
	}

	void deliver(RateLimitThresholdEvent event) {
		try {
			this.thread.execute(() -> tell(event));
		}
		// also that there is no memory for a thread
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			warn(this.left, "event",
					"Listeners are not told that a key has crossed a threshold of the rate limit policy '"
							+ event.policy().name() + "', because they are slow: " + MAX_WAITING
							+ " such events are waiting",
					null);
		}
	}

	private static void warn(LogBudget budget, String what, String text, @Nullable Throwable cause) {
		if (budget.take()) {
			logger.warn(text + budget.leftOut(what), cause);
		}
		else {
			budget.leaveOut();
		}
	}

	private void tell(RateLimitThresholdEvent event) {
		for (RateLimitListener listener : this.listeners) {
			tell(listener::onThreshold, event);
		}
		for (Consumer<Object> observer : this.observers) {
			tell(observer::accept, event);
		}
	}

	private void tell(Consumer<RateLimitThresholdEvent> listener, RateLimitThresholdEvent event) {
		try {
			listener.accept(event);
		}
		catch (Exception | LinkageError | AssertionError ex) {
			warn(this.failures, "failure", "A listener failed on a threshold of the rate limit policy '"
					+ event.policy().name() + "'. Nothing else is affected", ex);
		}
	}

}
