package io.github.ratelimit.actuate;

import io.github.ratelimit.store.RateLimitStoreAvailability;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Health of a store that can be unavailable, such as Redis. While it is unavailable the
 * status is {@code UNKNOWN} and not {@code DOWN}, because requests are still answered.
 */
final class RateLimitStoreHealthIndicator implements HealthIndicator {

	private final RateLimitStoreAvailability availability;

	/**
	 * Creates the indicator.
	 * @param availability the state of the store
	 */
	RateLimitStoreHealthIndicator(RateLimitStoreAvailability availability) {
		this.availability = availability;
	}

	@Override
	public Health health() {
		this.availability.check();
		String failure = this.availability.failure();
		Health.Builder health = this.availability.isAvailable() ? Health.up() : Health.unknown();
		health.withDetail("outages", this.availability.outages());
		if (failure != null) {
			health.withDetail("failure", failure);
		}
		return health.build();
	}

}
