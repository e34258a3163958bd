package io.github.ratelimit;

import java.util.Locale;

/**
 * The outcome of a request, as metrics and the endpoint count it.
 *
 * @since 0.1.0
 */
public enum RateLimitOutcome {

	/** Passed at once. */
	ALLOWED,

	/** Passed after waiting. */
	DELAYED,

	/** Rejected. */
	REJECTED,

	/** Rejected, because it would have had to wait and no more requests may wait. */
	QUEUE_FULL,

	/** Rejected, because the key is banned. */
	BANNED,

	/**
	 * Rejected, because the store could not decide; or let pass, in
	 * {@link RateLimitMode#INFORM}.
	 */
	UNAVAILABLE,

	/** Allowed, and refunded because another policy rejected the request. */
	RETURNED,

	/** Let pass by a policy that only informs, and would have rejected it. */
	EXCEEDED;

	/**
	 * The outcome as a tag of a metric.
	 * @return the name in lower case
	 */
	public String id() {
		return name().toLowerCase(Locale.ROOT);
	}

}
