package io.github.ratelimit.actuate;

import io.github.ratelimit.store.RateLimitStoreAvailability;
import org.jspecify.annotations.Nullable;

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
		addDetail("decides", this.availability.decides(), health);
		addDetail("on-failure", this.availability.onFailure(), health);
		addDetail("outages", this.availability.outages(), health);
		addDetail("failure", failure, health);
		return health.build();
	}

	private static void addDetail(String name, @Nullable Object value, Health.Builder health) {
		if (value != null) {
			health.withDetail(name, value);
		}
	}

}
