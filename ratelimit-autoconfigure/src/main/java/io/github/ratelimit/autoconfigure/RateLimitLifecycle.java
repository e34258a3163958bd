package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.findings.TrafficFindings;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;

import io.github.ratelimit.support.BackgroundThreads;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.config.IntervalTask;
import org.springframework.scheduling.support.TaskUtils;

/**
 * Begins and ends with the application. From before the application is asked for anything
 * until after its last answer, it follows what other instances override. It looks for
 * findings once the application has started, and for those that show only after traffic
 * once a minute. It keeps the history, if there is one.
 */
final class RateLimitLifecycle implements SmartLifecycle, ApplicationListener<ApplicationStartedEvent>, AutoCloseable {

	private static final int AFTER_CONNECTION_FACTORIES = 1;

	private final RateLimitProperties properties;

	private final StoreRateLimiterRegistry registry;

	private final ConfiguredPolicies policies;

	private final ConfiguredInterventions interventions;

	private final RateLimitFindings findings;

	private final TrafficFindings traffic;

	private final ObjectProvider<IntervalTask> history;

	private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1,
			new BackgroundThreads("ratelimit-background"));

	private volatile List<Future<?>> repeated = List.of();

	RateLimitLifecycle(RateLimitProperties properties, StoreRateLimiterRegistry registry, ConfiguredPolicies policies,
			ConfiguredInterventions interventions, RateLimitFindings findings, TrafficFindings traffic,
			ObjectProvider<IntervalTask> history) {
		this.properties = properties;
		this.registry = registry;
		this.policies = policies;
		this.interventions = interventions;
		this.findings = findings;
		this.traffic = traffic;
		this.history = history;
	}

	@Override
	public void start() {
		this.policies.check();
		this.interventions.putInForce();
		this.registry.followOverrides();
		List<Future<?>> repeated = new ArrayList<>();
		repeated.add(repeat(this.traffic::look, Duration.ofMinutes(1)));
		this.history.ifAvailable((task) -> repeated.add(repeat(task.getRunnable(), task.getIntervalDuration())));

		if (this.registry.overrides().areShared()) {
			/*
			 * A second thread keeps others from waiting while the store does not answer.
			 */
			this.executor.setCorePoolSize(2);
			/* With a fixed delay, what an outage has missed is not made up for. */
			repeated.add(this.executor.scheduleWithFixedDelay(this.registry::followOverrides, 1, 1, TimeUnit.SECONDS));
		}
		else {
			/* What has ended is not in the way of requests for long. */
			repeated.add(repeat(this.registry::followOverrides, Duration.ofMinutes(1)));
		}

		this.repeated = repeated;
	}

	/* An executor never again calls what has failed once. */
	private Future<?> repeat(Runnable task, Duration period) {
		return this.executor.scheduleAtFixedRate(TaskUtils.decorateTaskWithErrorHandler(task, null, true),
				period.toNanos(), period.toNanos(), TimeUnit.NANOSECONDS);
	}

	@Override
	public void onApplicationEvent(ApplicationStartedEvent event) {
		new StartFindings(event.getApplicationContext(), this.properties, this.registry, this.findings).report();
	}

	@Override
	public void stop() {
		this.repeated.forEach((task) -> task.cancel(false));
		this.repeated = List.of();
	}

	@Override
	public boolean isRunning() {
		return !this.repeated.isEmpty();
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * Connection factories have phase 0, and stop after this: a store whose connections
	 * are gone would seem to be out of reach. Servers and listeners, which ask for
	 * decisions, start later, and stop before.
	 */
	@Override
	public int getPhase() {
		return AFTER_CONNECTION_FACTORIES;
	}

	@Override
	public void close() {
		this.executor.shutdownNow();
	}

}
