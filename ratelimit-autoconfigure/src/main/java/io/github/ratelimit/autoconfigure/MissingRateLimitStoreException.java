package io.github.ratelimit.autoconfigure;

/**
 * There is nothing to keep the state of keys in.
 */
class MissingRateLimitStoreException extends RuntimeException {

	MissingRateLimitStoreException() {
		super("There is no store for rate limits: Caffeine is not on the class path, and there is no bean of type "
				+ "RateLimitStore.");
	}

}
