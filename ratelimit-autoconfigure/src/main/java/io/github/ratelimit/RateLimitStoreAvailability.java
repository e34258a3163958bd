package io.github.ratelimit;

import org.jspecify.annotations.Nullable;

/**
 * Whether a store outside this process decides at present, for metrics and health.
 */
public interface RateLimitStoreAvailability {

	/**
	 * Whether the store can be asked.
	 * @return {@code false} while policies are left to their failure modes
	 */
	boolean isAvailable();

	/**
	 * How often the store became unavailable.
	 * @return the number since the start
	 */
	long outages();

	/**
	 * Why the store is unavailable.
	 * @return the last failure, or {@code null} while the store is available
	 */
	@Nullable String failure();

}
