package io.github.ratelimit.web;

/**
 * The families of header fields that tell clients about their limits.
 *
 * @since 0.1.0
 */
public enum HeaderFamily {

	/**
	 * {@code RateLimit-Policy} and {@code RateLimit}, of the IETF's draft.
	 */
	RATE_LIMIT,

	/**
	 * {@code X-RateLimit-Limit}, {@code X-RateLimit-Remaining} and
	 * {@code X-RateLimit-Reset}, which most clients know.
	 */
	X_RATE_LIMIT

}
