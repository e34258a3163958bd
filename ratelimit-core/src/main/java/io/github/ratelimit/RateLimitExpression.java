package io.github.ratelimit;

import java.util.Locale;

/**
 * An expression that a policy evaluates for each request, by which metrics tell failures
 * apart.
 *
 * @since 0.1.0
 */
public enum RateLimitExpression {

	/** The key that is limited. */
	KEY,

	/** How many permits the request costs. */
	COST,

	/** Whether the request is limited at all. */
	CONDITION,

	/** What the request is charged once its outcome is known. */
	CHARGE,

	/** What an element that the method returns is charged when it passes. */
	CHARGE_EACH,

	/** Which plan the caller has: the policy's expression, or a resolver. */
	PLAN;

	/**
	 * The expression as a tag of a metric.
	 * @return the name in lower case, such as {@code charge-each}
	 */
	public String id() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
