package io.github.ratelimit.actuate;

import io.github.ratelimit.store.RateLimitStoreAvailability;
import org.jspecify.annotations.Nullable;

/**
 * Description of a store that can be unavailable.
 *
 * @param available whether the store decides
 * @param outages how often it became unavailable since the start
 * @param failure why it is unavailable, or {@code null}
 */
record StoreHealthDescriptor(boolean available, long outages, @Nullable String failure) {

	static StoreHealthDescriptor of(RateLimitStoreAvailability availability) {
		availability.check();
		return new StoreHealthDescriptor(availability.isAvailable(), availability.outages(), availability.failure());
	}

}
