package io.github.ratelimit.actuate;

import org.springframework.context.ApplicationContext;

/**
 * The key that the endpoint shows for a policy.
 */
public final class ShownKey {

	private ShownKey() {
	}

	public static String of(String policy, ApplicationContext context) {
		return context.getBean(RateLimitsEndpoint.class).rateLimits().policies().get(policy).key();
	}

}
