package io.github.ratelimit;

import java.util.List;

/**
 * What a key has left of a policy at a moment. It takes nothing and promises nothing:
 * whether a request passes is known once it has been decided on. A policy of several
 * limits counts as one limit, the tightest.
 *
 * @since 0.1.0
 * @see RateLimiter#peek(String)
 */
public interface RateLimitStanding extends LimitStanding {

	/**
	 * Whether the policy's store could not be asked, and something else answered instead.
	 * @return {@code true} for an answer by the store's failure mode
	 */
	default boolean fallback() {
		return false;
	}

	/**
	 * Whether the key is banned. Then nothing is left until the ban ends, which
	 * {@link #nextPermitAfter()} tells.
	 * @return {@code true} for a key that the policy's {@link RateLimitBan ban}, or an
	 * operator's, keeps out
	 */
	default boolean banned() {
		return false;
	}

	/**
	 * What the key has left of each of the policy's limits.
	 * @return the standings in the policy's order; of a single limit or a banned key, one
	 * that equals this
	 */
	List<? extends LimitStanding> limits();

}
