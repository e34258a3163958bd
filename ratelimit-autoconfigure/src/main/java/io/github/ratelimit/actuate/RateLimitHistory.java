package io.github.ratelimit.actuate;

import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.github.ratelimit.BackgroundThreads;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;

/**
 * Keeps what every policy decided in the last ten minutes, in steps of five seconds. It
 * is read from what policies count anyway, so that it costs decisions nothing.
 *
 * @since 0.1.0
 */
public final class RateLimitHistory implements SmartLifecycle {

	static final int STEP_SECONDS = 5;

	private static final Log logger = LogFactory.getLog(RateLimitHistory.class);

	private static final long STEP = TimeUnit.SECONDS.toNanos(STEP_SECONDS);

	private final Map<String, PolicyHistory> policies = new ConcurrentHashMap<>();

	private final StoreRateLimiterRegistry limiters;

	private final RateLimitClock clock;

	private volatile long end;

	private @Nullable ScheduledThreadPoolExecutor executor;

	/**
	 * Creates the history, which begins when it is started.
	 * @param limiters the limiters whose counters are read
	 * @param clock the time of the steps
	 */
	public RateLimitHistory(StoreRateLimiterRegistry limiters, RateLimitClock clock) {
		this.limiters = limiters;
		this.clock = clock;
		this.end = clock.nanos();
	}

	@Override
	public synchronized void start() {
		if (this.executor == null) {
			this.executor = new ScheduledThreadPoolExecutor(1, new BackgroundThreads("ratelimit-history"));
			this.executor.scheduleAtFixedRate(this::record, STEP_SECONDS, STEP_SECONDS, TimeUnit.SECONDS);
		}
	}

	@Override
	public synchronized void stop() {
		if (this.executor != null) {
			this.executor.shutdownNow();
			this.executor = null;
		}
	}

	@Override
	public synchronized boolean isRunning() {
		return this.executor != null;
	}

	/**
	 * Ends a step, or as many as have passed. A thread that is called a little early or
	 * late is taken as punctual.
	 */
	synchronized void record() {
		long steps = Math.floorDiv(this.clock.nanos() - this.end + STEP / 2, STEP);
		if (steps < 1) {
			return;
		}
		this.end += steps * STEP;
		for (StoreRateLimiter limiter : this.limiters.policies()) {
			try {
				this.policies.computeIfAbsent(limiter.policy().name(), (name) -> new PolicyHistory())
					.add(limiter, (int) Math.min(steps, PolicyHistory.STEPS));
			}
			catch (RuntimeException ex) {
				logger.debug("A step of a policy's history is missing", ex);
			}
		}
	}

	PolicyHistory.HistoryDescriptor find(String policy) {
		return this.policies.getOrDefault(policy, new PolicyHistory())
			.describe(policy, STEP_SECONDS, Instant.EPOCH.plusNanos(this.end));
	}

}
