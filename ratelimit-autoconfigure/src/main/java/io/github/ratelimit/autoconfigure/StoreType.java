package io.github.ratelimit.autoconfigure;

/**
 * Where the state of every key can live.
 */
public enum StoreType {

	/**
	 * In this process: each instance of the application has its own budgets.
	 */
	CAFFEINE

}
