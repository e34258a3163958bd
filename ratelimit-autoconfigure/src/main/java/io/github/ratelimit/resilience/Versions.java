package io.github.ratelimit.resilience;

import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.RateLimitStates;
import org.jspecify.annotations.Nullable;

/**
 * Opens the versions of one policy: the same keys under other limits, or in another mode.
 * All of them share what is remembered of the keys, because there may be many.
 */
interface Versions {

	/**
	 * Opens a version.
	 * @param policy the policy with its limits and mode
	 * @return its states, or {@code null} if the store cannot go on with those of before
	 */
	@Nullable RateLimitStates open(RateLimitPolicy policy);

}
