package io.github.ratelimit;

import java.util.Locale;

/**
 * What became of the permits that a request had reserved, once its charge was known.
 *
 * @since 0.1.0
 */
public enum RateLimitSettlement {

	/** The request was charged exactly what it had reserved. */
	KEPT,

	/** The request was charged less, and the rest was refunded. */
	RETURNED,

	/** The request was charged more, and the rest was taken. */
	CHARGED,

	/**
	 * The store could not be reached, so that the request was charged what it had
	 * reserved.
	 */
	FAILED;

	/**
	 * The settlement as a tag of a metric.
	 * @return the name in lower case
	 */
	public String id() {
		return name().toLowerCase(Locale.ROOT);
	}

}
