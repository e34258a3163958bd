package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFindings;

import org.springframework.boot.cloud.CloudPlatform;
import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.context.ApplicationListener;

/**
 * Finds what does not fit where the application runs.
 */
final class DeploymentFindings implements ApplicationListener<ApplicationStartedEvent> {

	private static final String LOCAL = "caffeine";

	private final RateLimiterRegistry registry;

	private final RateLimitFindings findings;

	DeploymentFindings(RateLimiterRegistry registry, RateLimitFindings findings) {
		this.registry = registry;
		this.findings = findings;
	}

	@Override
	public void onApplicationEvent(ApplicationStartedEvent event) {
		CloudPlatform platform = Deployment.platform(event.getApplicationContext().getEnvironment());
		if (platform != null && !this.registry.policies().isEmpty() && this.registry.storeName().equals(LOCAL)) {
			this.findings.report(FindingCode.LOCAL_STORE, null, "store", "The application runs on " + platform
					+ ", where there may be several instances, and each of them has budgets of its own.");
		}
	}

}
