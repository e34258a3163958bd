package io.github.ratelimit.autoconfigure;

import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.ratelimit.BackgroundThreads;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.findings.RateLimitFinding;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.findings.TrafficFindings;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.context.ApplicationListener;

/**
 * Looks for what shows when the application has started, and for what shows only after
 * traffic, once a minute from the first policy on.
 */
final class FindingsLifecycle implements ApplicationListener<ApplicationStartedEvent>, AutoCloseable {

	private static final Log logger = LogFactory.getLog(RateLimitFindings.class);

	private final RateLimitProperties properties;

	private final RateLimiterRegistry registry;

	private final RateLimitFindings findings;

	private final TrafficFindings traffic;

	private final AtomicBoolean started = new AtomicBoolean();

	private final AtomicBoolean warned = new AtomicBoolean();

	private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1,
			new BackgroundThreads("ratelimit-findings"));

	FindingsLifecycle(RateLimitProperties properties, RateLimiterRegistry registry, RateLimitClock clock,
			RateLimitFindings findings) {
		this.properties = properties;
		this.registry = registry;
		this.findings = findings;
		this.traffic = new TrafficFindings(registry::policies, clock, findings);
		registry.observe(this::begin);
	}

	private void begin(RateLimiter limiter) {
		this.traffic.begin(limiter);
		if (this.started.compareAndSet(false, true)) {
			this.executor.scheduleWithFixedDelay(this::look, 1, 1, TimeUnit.MINUTES);
		}
	}

	@Override
	public void onApplicationEvent(ApplicationStartedEvent event) {
		new StartFindings(event.getApplicationContext(), this.properties, this.registry, this.findings).find();
	}

	/*
	 * An executor never again calls what has failed once.
	 */
	void look() {
		try {
			this.traffic.look();
		}
		catch (RuntimeException ex) {
			if (this.warned.compareAndSet(false, true)) {
				logger.warn("Findings of rate limits could not be looked for. They are looked for again each minute. "
						+ "This is logged once", ex);
			}
		}
	}

	/**
	 * All findings until this moment.
	 */
	List<RateLimitFinding> list() {
		this.traffic.look();
		return this.findings.list();
	}

	@Override
	public void close() {
		this.executor.shutdownNow();
	}

}
