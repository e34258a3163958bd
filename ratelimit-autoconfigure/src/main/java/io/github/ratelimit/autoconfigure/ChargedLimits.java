package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.annotation.RateLimitedMethods;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ListableBeanFactory;

/**
 * Finds out whether an application has limits that are charged by outcome, before its
 * server starts. Without them its requests do not pay for being listened to.
 */
final class ChargedLimits {

	private static final Log logger = LogFactory.getLog(ChargedLimits.class);

	private ChargedLimits() {
	}

	static boolean exist(RateLimiterRegistry registry, ListableBeanFactory beanFactory) {
		for (RateLimiter limiter : registry.policies()) {
			if (limiter.policy().charge() != null) {
				return true;
			}
		}
		for (String name : beanFactory.getBeanDefinitionNames()) {
			Class<?> type = beanFactory.getType(name, false);
			if (type != null && isCharged(type)) {
				return true;
			}
		}
		return false;
	}

	/*
	 * A class whose methods cannot be read, because a type is missing, is no reason not
	 * to start.
	 */
	private static boolean isCharged(Class<?> type) {
		try {
			return RateLimitedMethods.isCharged(type);
		}
		catch (RuntimeException | LinkageError ex) {
			logger.debug("Could not read the methods of " + type.getName(), ex);
			return false;
		}
	}

}
