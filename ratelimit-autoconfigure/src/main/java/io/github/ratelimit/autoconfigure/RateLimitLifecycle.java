package io.github.ratelimit.autoconfigure;

import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.ratelimit.BackgroundThreads;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.findings.RateLimitFinding;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.findings.TrafficFindings;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;

import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;

/**
 * What begins and ends with the application. From before it is asked for anything until
 * after its last answer, it follows what other instances override. When it has started,
 * it looks for what then shows; and once a minute for what shows only after traffic.
 */
final class RateLimitLifecycle implements SmartLifecycle, ApplicationListener<ApplicationStartedEvent>, AutoCloseable {

	private static final Log logger = LogFactory.getLog(RateLimitFindings.class);

	private final RateLimitProperties properties;

	private final StoreRateLimiterRegistry registry;

	private final ConfiguredPolicies policies;

	private final RateLimitFindings findings;

	private final TrafficFindings traffic;

	private final AtomicBoolean warned = new AtomicBoolean();

	private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1,
			new BackgroundThreads("ratelimit-findings"));

	private volatile @Nullable Future<?> looking;

	RateLimitLifecycle(RateLimitProperties properties, StoreRateLimiterRegistry registry, ConfiguredPolicies policies,
			RateLimitClock clock, RateLimitFindings findings) {
		this.properties = properties;
		this.registry = registry;
		this.policies = policies;
		this.findings = findings;
		this.traffic = new TrafficFindings(registry, clock, findings);
	}

	@Override
	public void start() {
		this.policies.check(this.registry);
		this.registry.start();
		this.looking = this.executor.scheduleWithFixedDelay(this::look, 1, 1, TimeUnit.MINUTES);
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
	public void stop() {
		Future<?> looking = this.looking;
		if (looking != null) {
			looking.cancel(false);
			this.looking = null;
		}
		this.registry.stop();
	}

	@Override
	public boolean isRunning() {
		return this.looking != null;
	}

	@Override
	public int getPhase() {
		return Integer.MIN_VALUE;
	}

	@Override
	public void close() {
		this.executor.shutdownNow();
	}

}
