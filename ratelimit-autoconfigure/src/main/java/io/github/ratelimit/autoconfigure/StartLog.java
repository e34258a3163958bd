package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.context.ApplicationListener;

/**
 * Says in one line what limits the application has; nothing where it has none.
 */
class StartLog implements ApplicationListener<ApplicationStartedEvent> {

	private static final Log logger = LogFactory.getLog(RateLimitAutoConfiguration.class);

	private final RateLimiterRegistry registry;

	StartLog(RateLimiterRegistry registry) {
		this.registry = registry;
	}

	@Override
	public void onApplicationEvent(ApplicationStartedEvent event) {
		int policies = this.registry.policies().size();
		if (policies > 0) {
			int inShadow = 0;
			for (RateLimiter limiter : this.registry.policies()) {
				inShadow += (limiter.policy().mode() == RateLimitMode.SHADOW) ? 1 : 0;
			}
			logger.info("Rate limits: " + ((policies == 1) ? "1 policy" : policies + " policies")
					+ ((inShadow > 0) ? " (" + inShadow + " only in shadow)" : "") + ", store: "
					+ this.registry.storeName());
		}
	}

}
