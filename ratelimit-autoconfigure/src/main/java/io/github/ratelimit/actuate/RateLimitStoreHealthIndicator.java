package io.github.ratelimit.actuate;

import io.github.ratelimit.store.RateLimitStoreAvailability;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Tells whether the store can be asked, and asks it. While it cannot, the status is
 * {@code UNKNOWN}, which does not turn the application's {@code DOWN}: requests are still
 * answered.
 */
public final class RateLimitStoreHealthIndicator implements HealthIndicator {

	private final RateLimitStoreAvailability availability;

	/**
	 * Creates the indicator.
	 * @param availability what the store knows of itself
	 */
	public RateLimitStoreHealthIndicator(RateLimitStoreAvailability availability) {
		this.availability = availability;
	}

	@Override
	public Health health() {
		this.availability.check();
		String failure = this.availability.failure();
		Health.Builder health = this.availability.isAvailable() ? Health.up() : Health.unknown();
		health.withDetail("outages", this.availability.outages());
		return ((failure != null) ? health.withDetail("failure", failure) : health).build();
	}

}
