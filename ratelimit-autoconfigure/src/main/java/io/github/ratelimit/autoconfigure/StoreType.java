package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.InvalidRateLimitException;

/**
 * Where the state of every key can live.
 */
public enum StoreType {

	/**
	 * In this process: each instance of the application has its own budgets.
	 */
	CAFFEINE("Caffeine is not on the class path", "com.github.ben-manes.caffeine:caffeine"),

	/**
	 * In Redis: all instances of the application share one budget. Needs
	 * spring-boot-starter-data-redis, and uses the application's own connection.
	 */
	REDIS("ratelimit.store is 'redis', but there is no connection to Redis",
			"org.springframework.boot:spring-boot-starter-data-redis");

	private final String missing;

	private final String dependency;

	StoreType(String missing, String dependency) {
		this.missing = missing;
		this.dependency = dependency;
	}

	InvalidRateLimitException missing() {
		return InvalidRateLimitException.of("There is no store for rate limits:",
				this.missing + ", and there is no bean of type RateLimitStore",
				"Add the dependency " + this.dependency
						+ ", declare a bean of type RateLimitStore, or turn rate limits off with ratelimit.enabled=false.",
				null);
	}

}
