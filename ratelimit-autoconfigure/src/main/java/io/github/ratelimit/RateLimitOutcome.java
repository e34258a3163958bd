package io.github.ratelimit;

import java.util.Locale;

/**
 * What became of a request, as metrics and the endpoint count it.
 */
public enum RateLimitOutcome {

	/** Passed at once. */
	ALLOWED,

	/** Passed after waiting. */
	DELAYED,

	/** Did not pass. */
	REJECTED,

	/** Did not pass: would have had to wait, and as many waited already as may. */
	QUEUE_FULL,

	/** Was turned away, because the store could not decide. */
	UNAVAILABLE,

	/** Was allowed, and given back because another policy rejected the request. */
	RETURNED;

	/**
	 * The outcome as a tag of a metric.
	 * @return the name in lower case
	 */
	public String id() {
		return name().toLowerCase(Locale.ROOT);
	}

	/**
	 * The outcome of a decision.
	 * @param decision the decision
	 * @return what became of the request
	 */
	public static RateLimitOutcome of(RateLimitDecision decision) {
		if (decision.allowed()) {
			return (decision.delayNanos() > 0) ? DELAYED : ALLOWED;
		}
		return decision.unavailable() ? UNAVAILABLE : decision.queueFull() ? QUEUE_FULL : REJECTED;
	}

}
