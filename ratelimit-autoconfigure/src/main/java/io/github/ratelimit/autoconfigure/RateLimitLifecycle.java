package io.github.ratelimit.autoconfigure;

import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.github.ratelimit.BackgroundThreads;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.findings.RateLimitFinding;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.findings.TrafficFindings;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.support.TaskUtils;

/**
 * What begins and ends with the application. From before it is asked for anything until
 * after its last answer, it follows what other instances override. When it has started,
 * it looks for what then shows; and once a minute for what shows only after traffic.
 */
final class RateLimitLifecycle implements SmartLifecycle, ApplicationListener<ApplicationStartedEvent> {

	private final RateLimitProperties properties;

	private final StoreRateLimiterRegistry registry;

	private final ConfiguredPolicies policies;

	private final RateLimitFindings findings;

	private final TrafficFindings traffic;

	private volatile @Nullable ScheduledThreadPoolExecutor looking;

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
		ScheduledThreadPoolExecutor looking = new ScheduledThreadPoolExecutor(1,
				new BackgroundThreads("ratelimit-findings"));
		/* An executor never again calls what has failed once. */
		Runnable look = TaskUtils.decorateTaskWithErrorHandler(this.traffic::look, null, true);
		looking.scheduleWithFixedDelay(look, 1, 1, TimeUnit.MINUTES);
		this.looking = looking;
	}

	@Override
	public void onApplicationEvent(ApplicationStartedEvent event) {
		new StartFindings(event.getApplicationContext(), this.properties, this.registry, this.findings).find();
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
		ScheduledThreadPoolExecutor looking = this.looking;
		if (looking != null) {
			looking.shutdown();
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

}
