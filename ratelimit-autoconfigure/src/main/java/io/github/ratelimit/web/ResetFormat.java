package io.github.ratelimit.web;

/**
 * The format in which {@code X-RateLimit-Reset} says when a limit is fully reset.
 *
 * @since 0.1.0
 */
public enum ResetFormat {

	/**
	 * Seconds from now.
	 */
	SECONDS,

	/**
	 * Seconds since 1970-01-01T00:00:00Z, as GitHub has it.
	 */
	EPOCH

}
