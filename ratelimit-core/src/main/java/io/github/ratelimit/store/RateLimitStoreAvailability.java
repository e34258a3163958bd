package io.github.ratelimit.store;

import org.jspecify.annotations.Nullable;

/**
 * Whether a store outside this process decides at present, for metrics and health.
 *
 * @since 0.1.0
 */
public interface RateLimitStoreAvailability {

	/**
	 * Asks the store, so that the other methods are up to date while no request asks it.
	 * Takes no longer than a decision, and does nothing if the store was asked a moment
	 * ago.
	 */
	default void check() {
	}

	/**
	 * Whether the store decides.
	 * @return {@code false} while the failure mode decides instead
	 */
	boolean isAvailable();

	/**
	 * Returns how often the store became unavailable.
	 * @return the number since the start
	 */
	long outages();

	/**
	 * Returns why the store is unavailable.
	 * @return the last failure, or {@code null} while the store is available
	 */
	@Nullable String failure();

	/**
	 * Returns what decides at present, in a word.
	 * @return the store's name, such as {@code redis}; while it is unavailable
	 * {@link #onFailure()}; and {@code redis and local} while that is true for the keys
	 * of some of its servers; {@code null}, the default, if it is not known
	 */
	default @Nullable String decides() {
		return null;
	}

	/**
	 * Returns what decides while the store is unavailable.
	 * @return the failure mode of all policies, such as {@code local}; {@code on-failure}
	 * if they differ; {@code null}, the default, if it is not known or there is no policy
	 */
	default @Nullable String onFailure() {
		return null;
	}

}
