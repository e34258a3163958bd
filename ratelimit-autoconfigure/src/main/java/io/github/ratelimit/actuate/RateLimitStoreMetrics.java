package io.github.ratelimit.actuate;

import io.github.ratelimit.store.RateLimitStoreAvailability;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Publishes whether the store can be asked: {@code ratelimit.store.available} and
 * {@code ratelimit.store.outages}.
 */
public final class RateLimitStoreMetrics implements MeterBinder {

	private final RateLimitStoreAvailability availability;

	/**
	 * Creates the binder.
	 * @param availability what the store knows of itself
	 */
	public RateLimitStoreMetrics(RateLimitStoreAvailability availability) {
		this.availability = availability;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		Gauge.builder("ratelimit.store.available", this.availability, (store) -> store.isAvailable() ? 1 : 0)
			.description("Whether the store of rate limits decides, 1 or 0")
			.register(registry);
		FunctionCounter.builder("ratelimit.store.outages", this.availability, RateLimitStoreAvailability::outages)
			.description("How often the store of rate limits became unavailable")
			.register(registry);
	}

}
