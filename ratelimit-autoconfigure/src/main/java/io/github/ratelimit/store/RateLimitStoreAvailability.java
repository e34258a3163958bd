package io.github.ratelimit.store;

import org.jspecify.annotations.Nullable;

/**
 * Whether a store outside this process decides at present, for metrics and health.
 */
public interface RateLimitStoreAvailability {

	/**
	 * Asks the store, so that what the other methods say is true while no request does.
	 * Takes no longer than a decision, and does nothing if that was done a moment ago.
	 */
	default void check() {
	}

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
