package io.github.ratelimit.autoconfigure;

import java.util.List;

import io.github.ratelimit.PolicyLimiter;
import io.github.ratelimit.RateLimiter;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.context.ApplicationListener;

/**
 * Says at start-up which policies are configured and applied nowhere.
 */
class UnusedPolicies implements ApplicationListener<ApplicationStartedEvent> {

	private static final Log logger = LogFactory.getLog(UnusedPolicies.class);

	private final RateLimiter limiter;

	UnusedPolicies(RateLimiter limiter) {
		this.limiter = limiter;
	}

	@Override
	public void onApplicationEvent(ApplicationStartedEvent event) {
		List<String> unused = this.limiter.policies()
			.stream()
			.filter((policy) -> policy.appliedTo().isEmpty())
			.map(PolicyLimiter::policy)
			.map((policy) -> "'" + policy.name() + "'")
			.sorted()
			.toList();
		if (!unused.isEmpty()) {
			logger.warn("No rule and no annotation applies the rate limit policies " + String.join(", ", unused)
					+ ". They limit only what code asks RateLimiter for.");
		}
	}

}
