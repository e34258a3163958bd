package io.github.ratelimit.autoconfigure;

/**
 * There is nothing to keep the state of keys in.
 */
class MissingRateLimitStoreException extends RuntimeException {

	private final StoreType type;

	MissingRateLimitStoreException(StoreType type) {
		super("There is no store for rate limits: " + switch (type) {
			case CAFFEINE -> "Caffeine is not on the class path";
			case REDIS -> "ratelimit.store is 'redis', but there is no connection to Redis";
		} + ", and there is no bean of type RateLimitStore.");
		this.type = type;
	}

	StoreType type() {
		return this.type;
	}

}
