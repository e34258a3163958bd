package io.github.ratelimit.graphql;

import graphql.ErrorClassification;

/**
 * What a client reads as an error's {@code classification}.
 */
enum RateLimitErrorType implements ErrorClassification {

	/** A rate limit was exceeded. */
	RATE_LIMITED,

	/** Whether a rate limit is exceeded cannot be decided at present. */
	RATE_LIMIT_UNAVAILABLE

}
