package io.github.ratelimit.autoconfigure;

/**
 * Where the state of every key can live.
 */
public enum StoreType {

	/**
	 * In this process: each instance of the application has its own budgets.
	 */
	CAFFEINE,

	/**
	 * In Redis: all instances of the application share one budget. Needs
	 * spring-boot-starter-data-redis, and uses the application's own connection.
	 */
	REDIS

}
